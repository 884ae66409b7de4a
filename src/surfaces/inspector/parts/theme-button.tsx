import { useEffect, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

const THEMES = ["auto", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const ICONS = { auto: "screen", light: "sun", dark: "moon" } as const;
const KEY = "toolcrib.theme";

/** Cycles through: system, light, dark. */
export function ThemeButton() {
  const [theme, setTheme] = useState<Theme>(readTheme);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  }, [theme]);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
  return (
    <button
      type="button"
      class="quiet bare"
      aria-label={`Theme: ${theme}. Change to ${next}`}
      title={`Theme: ${theme}`}
      onClick={() => setTheme(next)}
    >
      <Icon name={ICONS[theme]} />
    </button>
  );
}

function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === kept) ?? "auto";
  } catch {
    return "auto";
  }
}
