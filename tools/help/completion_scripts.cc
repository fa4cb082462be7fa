#include "tools/help/completion_scripts.h"

namespace ofindex {
namespace {

// In the scripts, PROGRAM stands for the name of the command.

// Bash divides words at the characters of COMP_WORDBREAKS, such as `=`; the loop puts them together again, and the
// candidates lose the part that readline has divided off, or that is before an open quote.
constexpr std::string_view kBash = R"script(# bash completion for PROGRAM

# Sets `read` to the word that bash reads in $1, `quote` to the quote that is open at its end, and `divided` to what is
# before that quote.
_PROGRAM_read() {
  local text=$1 c
  read="" quote="" divided=""
  while [[ -n $text ]]; do
    c=${text:0:1}
    text=${text:1}
    if [[ $c == \\ && ($quote == "" || $quote == \" && ${text:0:1} == [\\\"\$\`]) ]]; then
      read+=${text:0:1}
      text=${text:1}
    elif [[ $quote == "" && $c == [\"\'] ]]; then
      quote=$c
      divided=$read
    elif [[ $quote != "" && $c == "$quote" ]]; then
      quote="" divided=""
    else
      read+=$c
    fi
  done
}

_PROGRAM() {
  local words=() word before="" answer kind line i read="" quote="" divided=""
  for ((i = 1; i <= COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if ((${#words[@]} > 0)) && [[ $word == [=:] || $before == [=:] ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
    before=$word
  done
  for i in "${!words[@]}"; do
    _PROGRAM_read "${words[i]}"
    words[i]=$read
  done
  COMPREPLY=()
  answer=$("${COMP_WORDS[0]}" help --complete -- "${words[@]}" 2>/dev/null) || return
  kind=${answer%%$'\n'*}
  case $kind in
    files*) compopt -o default; return ;;
    folders*) compopt -o dirnames; return ;;
    paths*) compopt -o filenames ;;
  esac
  [[ $kind == *+ ]] && compopt -o nospace
  if [[ $read == *[=:]* && -z $quote ]]; then divided=${read%"${read##*[=:]}"}; fi
  while IFS=$'\n' read -r line; do
    line=${line%%$'\t'*}
    line=${line#"$divided"}
    case $kind$quote in
      paths*) ;;
      *\")
        line=${line//\\/\\\\} line=${line//\"/\\\"} line=${line//\$/\\\$} line=${line//\`/\\\`}
        ;;
      *\') line=${line//\'/\'\\\'\'} ;;
      *) printf -v line %q "$line" ;;
    esac
    COMPREPLY+=("$line")
  done < <(tail -n +2 <<<"$answer" | grep .)
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ && $kind == paths* ]]; then compopt -o nospace; fi
}
complete -F _PROGRAM PROGRAM
)script";

constexpr std::string_view kZsh = R"script(#compdef PROGRAM
# zsh completion for PROGRAM
_PROGRAM() {
  local answer kind line
  local -a lines texts notes extra
  answer=$("${(Q)words[1]}" help --complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null) || return 1
  lines=("${(@f)answer}")
  kind=$lines[1]
  case $kind in
    files*) _files; return ;;
    folders*) _files -/; return ;;
    paths*) extra=(-f) ;;
  esac
  [[ $kind == *+ ]] && extra+=(-S '')
  for line in "${(@)lines[2,-1]}"; do
    [[ -n $line ]] || continue
    texts+=("${line%%$'\t'*}")
    notes+=("${line%%$'\t'*}${${line#*$'\t'}:+  -- ${line#*$'\t'}}")
  done
  ((${#texts})) || return 1
  if [[ $kind == paths* ]]; then
    local -a folders others
    folders=("${(@M)texts:#*/}")
    others=("${(@)texts:#*/}")
    ((${#folders})) && compadd "${extra[@]}" -S '' -- "${folders[@]}"
    ((${#others})) && compadd "${extra[@]}" -- "${others[@]}"
    return 0
  fi
  compadd "${extra[@]}" -l -d notes -- "${texts[@]}"
}
if [[ $funcstack[1] == _PROGRAM ]]; then
  _PROGRAM "$@"
else
  compdef _PROGRAM PROGRAM
fi
)script";

constexpr std::string_view kFish = R"script(# fish completion for PROGRAM
function __PROGRAM_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l word (string unescape -- $current; or string replace -r '^["\']' '' -- $current)
  set -l answer ($words[1] help --complete -- $words[2..-1] $word 2>/dev/null)
  or return
  switch $answer[1]
    case 'files*'
      __fish_complete_path (commandline -ct)
    case 'folders*'
      __fish_complete_directories (commandline -ct)
    case '*'
      for line in $answer[2..-1]
        echo $line
      end
  end
end
complete -c PROGRAM -f -a '(__PROGRAM_complete)'
)script";

std::string ForProgram(std::string_view script, std::string_view program) {
  constexpr std::string_view kPlaceholder = "PROGRAM";
  std::string text;
  for (size_t at = script.find(kPlaceholder); at != std::string_view::npos; at = script.find(kPlaceholder)) {
    text += script.substr(0, at);
    text += program;
    script.remove_prefix(at + kPlaceholder.size());
  }
  return text += script;
}

}  // namespace

std::string CompletionScript(std::string_view shell, std::string_view program) {
  if (shell == "bash") return ForProgram(kBash, program);
  if (shell == "zsh") return ForProgram(kZsh, program);
  if (shell == "fish") return ForProgram(kFish, program);
  return {};
}

}  // namespace ofindex
