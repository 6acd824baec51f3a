// Light or dark: as the system says, until the viewer says otherwise.

import type { ThemeName } from "../stage/theme";

const KEY = "zoophyte-theme";
const listeners = new Set<() => void>();

export function currentTheme(): ThemeName {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(theme: ThemeName): void {
  document.documentElement.dataset.theme = theme;
  for (const listener of listeners) listener();
}

export function toggleTheme(): void {
  const theme = currentTheme() === "dark" ? "light" : "dark";
  remember(theme);
  set(theme);
}

export function startTheme(): void {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  set((remembered() as ThemeName | null) ?? (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", () => {
    if (!remembered()) set(dark.matches ? "dark" : "light");
  });
}

// A page in a frame of its own may not keep anything; then the choice lasts as long as the page.
function remember(theme: ThemeName): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    return;
  }
}

function remembered(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
