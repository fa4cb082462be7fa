"""Help, manual pages and the errors of the verb `help`: all are made from one table, so they name the same things."""

from __future__ import annotations

import re
import shutil
import subprocess
import unittest

from docs.sample_data import make_data

from e2e.command import COMMAND, REPOSITORY, CommandTest

SETS_UP_A_SHELL = "help --completion"  # examples for the files that a shell reads first


class HelpTest(CommandTest):
    def verbs(self) -> list[str]:
        listed = self.expect(0, "--help").text.split("Verbs:\n")[1].split("\n\n")[0]
        return re.findall(r"^  (\w+)", listed, re.MULTILINE)

    def test_help_and_the_option_help_print_the_same(self) -> None:
        for words in ((), ("build",), ("help",)):
            self.assertEqual(self.expect(0, "help", *words).text, self.expect(0, *words, "--help").text)

    def test_a_verb_is_explained_in_lines_that_fit(self) -> None:
        for verb in self.verbs():
            with self.subTest(verb):
                text = self.expect(0, "help", verb).text
                examples = text.split("\nExamples:\n")[1]
                lines = [line for line in text.splitlines() if f"  {line.strip()}" not in examples.splitlines()]
                self.assertEqual([line for line in lines if len(line) > 100], [])
                self.assertTrue(text.startswith(f"Usage: ofindex {verb} "), text)

    def test_every_example_runs(self) -> None:
        make_data(self.dir)
        (self.dir / "items.csv").write_text("id,price\n1,2.5\n")
        (self.dir / "scores.csv").write_text("name,score\nsetosa,2.5\n")
        environment = {**self.environment, "PATH": f"{COMMAND.parent}:/usr/bin:/bin"}
        for verb in self.verbs():
            lines = self.expect(0, "help", verb).text.split("\nExamples:\n")[1].splitlines()
            commands = [line.strip() for line in lines if re.match("  [^ ]", line)]
            self.assertNotEqual(commands, [])
            for command in commands:
                if SETS_UP_A_SHELL in command:
                    continue  # completion_test.py
                if verb == "serve":
                    command += " --until-eof"  # which is at once
                with self.subTest(command):
                    ran = subprocess.run(
                        ["bash", "-c", command],
                        cwd=self.dir,
                        env=environment,
                        stdin=subprocess.DEVNULL,
                        capture_output=True,
                        text=True,
                    )
                    self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_every_verb_has_a_manual_page_that_is_installed(self) -> None:
        installed = (REPOSITORY / "tools" / "meson.build").read_text()
        listed = re.search(r"foreach verb : \[(.*?)\]", installed, re.DOTALL)[1]
        self.assertEqual(sorted(re.findall(r"'(\w+)'", listed)), sorted(self.verbs()))

    def test_manual_pages_are_well_formed_and_name_every_option(self) -> None:
        for verb in self.verbs():
            with self.subTest(verb):
                page = self.expect(0, "help", "--man", verb).text
                options = re.findall(r"^  (?:-\w,)?(--[a-z-]+)", self.expect(0, "help", verb).text, re.MULTILINE)
                shown = page.replace("\\-", "-")
                self.assertEqual([option for option in options if f"\\fB{option}\\fR" not in shown], [])
        if shutil.which("mandoc") is None:
            self.skipTest("mandoc is not installed")
        for words in ((), *((verb,) for verb in self.verbs())):
            with self.subTest(words=words):
                page = self.expect(0, "help", "--man", *words).stdout
                lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning"], input=page, capture_output=True)
                # The pages have no date, so that two builds of one version are the same.
                warnings = [line for line in lint.stdout.decode().splitlines() if "missing date" not in line]
                self.assertEqual(warnings, [])

    def test_help_that_cannot_be_written_is_an_error(self) -> None:
        for words in (
            ["--help"],
            ["help"],
            ["build", "--help"],
            ["--version"],
            ["get", "--version"],
            ["help", "--man"],
        ):
            with self.subTest(words=words), open("/dev/full", "w") as full:
                ran = subprocess.run([COMMAND, *words], stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual(ran.returncode, 5, ran.stderr)
                self.assertIn("standard output: cannot write: No space left on device", ran.stderr)

    def test_help_for_two_verbs_or_for_none_is_refused(self) -> None:
        self.assertIn("'info': expected one verb", self.expect(2, "help", "build", "info").stderr)
        self.assertIn("there is no verb 'frobnicate'", self.expect(2, "help", "--man", "frobnicate").stderr)


if __name__ == "__main__":
    unittest.main()
