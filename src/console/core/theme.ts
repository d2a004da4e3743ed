// Light, dark, or as the system says; `theme.ts` beside the page applies it before the first paint.
export type Theme = 'light' | 'dark' | undefined;

/** The theme that was chosen in this browser; undefined where the system decides. */
export function chosenTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : undefined;
}

export function chooseTheme(theme: Theme): void {
  if (theme) {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem('pqrs.theme', theme);
  } else {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem('pqrs.theme');
  }
}

export function switchTheme(): void {
  const shown =
    chosenTheme() ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  chooseTheme(shown === 'dark' ? 'light' : 'dark');
}
