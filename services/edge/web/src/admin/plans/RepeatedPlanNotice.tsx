// Says that a partner pays a plan once for each key, with a link to the plan.
import { translations, useText } from "../../shell/language";
import { Notice } from "../../shell/states";
import { address } from "../route";

const texts = translations({
  pays: [
    (count: number, name: string) => `Ce partenaire paie ${count} fois le tarif « ${name} » (une fois par clé).`,
    (count: number, name: string) => `This partner pays the plan “${name}” ${count} times (once for each key).`,
  ],
  wouldPay: [
    (count: number, name: string) => `Ce partenaire paierait ${count} fois le tarif « ${name} » (une fois par clé).`,
    (count: number, name: string) => `This partner would pay the plan “${name}” ${count} times (once for each key).`,
  ],
  see: ["Voir le tarif", "See the plan"],
});

export function RepeatedPlanNotice({
  plan,
  count,
  isPlanned = false,
  inForm = false,
}: {
  plan: { id: string; name: string };
  count: number;
  /** A key that is not on the plan yet is counted. */
  isPlanned?: boolean;
  /** The link opens a tab, so that the form keeps its input. */
  inForm?: boolean;
}) {
  const t = useText(texts);
  return (
    <Notice tone="warning">
      <p>
        {isPlanned ? t.wouldPay(count, plan.name) : t.pays(count, plan.name)}{" "}
        <a href={address("plans", {}, plan.id)} target={inForm ? "_blank" : undefined}>
          {t.see}
        </a>
      </p>
    </Notice>
  );
}
