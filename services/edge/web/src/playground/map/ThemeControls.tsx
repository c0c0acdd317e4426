// The themes of the map: their switches, and a legend of what is shown.
import { Chip } from "@mantine/core";
import { useText } from "../../shell/language";
import styles from "./LandMap.module.css";
import { mapTexts } from "./texts";
import { THEMES, type Theme, ZONE_FAMILIES, type ZoneFamily } from "./themes";

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

export function ThemeLegend({
  hasCadastre,
  families,
  hasSales,
}: {
  hasCadastre: boolean;
  families: readonly ZoneFamily[];
  hasSales: boolean;
}) {
  const t = useText(mapTexts);
  const items = [
    ...(hasCadastre ? [["ground", t.publicGround] as const, ["house", t.neighbours] as const] : []),
    ...ZONE_FAMILIES.filter((family) => families.includes(family)).map(
      (family) => [`zone-${family}`, t.zoneFamilies[family]] as const,
    ),
    ...(hasSales ? [["sale", t.sale] as const] : []),
  ];
  if (items.length === 0) return null;
  return (
    <ul className={styles.legend}>
      {items.map(([kind, text]) => (
        <li key={kind}>
          <span className={styles.swatch} data-kind={kind} aria-hidden="true" />
          {text}
        </li>
      ))}
    </ul>
  );
}
