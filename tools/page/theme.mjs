// Dark or light: as the system says, until the switch says otherwise.

const KEY = "ofindex.theme";
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
    try {
      localStorage.setItem(KEY, chosen);
    } catch {
      // storage is blocked: the choice lasts until the page is closed
    }
    apply();
  });
  dark.addEventListener("change", apply);
  apply();
}

function read() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
