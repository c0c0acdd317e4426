// The themes of the map: their switches, and a legend of what is shown.
import { Chip } from "@mantine/core";
import { useText } from "../../shell/language";
import styles from "./LandMap.module.css";
import { mapTexts } from "./texts";
import { type LegendItem, THEMES, type Theme } from "./themes";

export function ThemeChoice({
  chosen,
  onChange,
}: {
  chosen: readonly Theme[];
  onChange: (chosen: readonly Theme[]) => void;
}) {
  const t = useText(mapTexts);
  return (
    <fieldset className={styles.themes}>
      <legend className="lp-visually-hidden">{t.themes}</legend>
      <Chip.Group multiple value={[...chosen]} onChange={(next) => onChange(next as Theme[])}>
        {THEMES.map((theme) => (
          <Chip key={theme} value={theme} size="xs">
            {t.themeNames[theme]}
          </Chip>
        ))}
      </Chip.Group>
    </fieldset>
  );
}

export function ThemeLegend({ items }: { items: readonly LegendItem[] }) {
  const t = useText(mapTexts);
  const shown = (Object.keys(t.legendItems) as LegendItem[]).filter((item) => items.includes(item));
  if (shown.length === 0) return null;
  return (
    <ul className={styles.legend}>
      {shown.map((item) => (
        <li key={item}>
          <span className={styles.swatch} data-kind={item} aria-hidden="true" />
          {t.legendItems[item]}
        </li>
      ))}
    </ul>
  );
}
