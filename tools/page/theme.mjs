// Dark or light: as the system says, until the switch says otherwise.

// A cookie, because storage is by port, and each server has another port.
const NAME = "ofindex-theme";
const YEAR_SECONDS = 31_536_000;
const dark = matchMedia("(prefers-color-scheme: dark)");

/** Makes `button` switch between dark and light. */
export function themeSwitch(button) {
  let chosen = read();
  const apply = () => {
    const theme = chosen ?? (dark.matches ? "dark" : "light");
    document.documentElement.dataset.theme = theme;
    button.textContent = theme === "dark" ? "Light" : "Dark";
    button.title = `Switch to ${button.textContent.toLowerCase()} colours`;
  };
  button.addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    keep(chosen);
    apply();
  });
  dark.addEventListener("change", apply);
  apply();
}

// If cookies are blocked, a choice lasts until the page is closed.
function keep(theme) {
  try {
    document.cookie = `${NAME}=${theme}; Path=/; SameSite=Strict; Max-Age=${YEAR_SECONDS}`;
  } catch {
    // a frame without an origin
  }
}

function read() {
  try {
    return new RegExp(`(?:^|; )${NAME}=(dark|light)(?:;|$)`).exec(document.cookie)?.[1] ?? null;
  } catch {
    return null;
  }
}
