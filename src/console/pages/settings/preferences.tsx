// What this browser is set to, and nobody else's.
import { useState } from 'preact/hooks';
import { chooseTheme, chosenTheme, type Theme } from '../../core/theme.ts';
import { Card } from '../../parts/layout.tsx';

const THEMES: [name: string, theme: Theme][] = [
  ['As the system', undefined],
  ['Light', 'light'],
  ['Dark', 'dark'],
];

export function Preferences() {
  const [chosen, setChosen] = useState(chosenTheme());
  return (
    <Card title="This browser">
      <fieldset class="inside line themes">
        <legend class="hidden">Colours</legend>
        {THEMES.map(([name, theme]) => (
          <label key={name} class="line">
            <input
              type="radio"
              name="theme"
              checked={chosen === theme}
              onChange={() => {
                chooseTheme(theme);
                setChosen(theme);
              }}
            />
            {name}
          </label>
        ))}
      </fieldset>
    </Card>
  );
}
