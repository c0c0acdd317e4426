// Named plans: terms that several keys share. Owners create and change them.
import { Button, Radio, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import type { ListPage, Plan, Pricing } from "../../api/types";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { translations, useText } from "../../shell/language";
import { Badge, Empty, Notice } from "../../shell/states";
import { call } from "../client";
import type { Column } from "../components/DataTable";
import { Lines, Name, Section, Small } from "../components/elements";
import { FieldGroup, FormDialog } from "../components/FormDialog";
import { LoadedTable, useRead } from "../components/loaded";
import { NEW_TERMS, PricingFields, termsBody, termsValues, useTierRules } from "../components/PricingFields";
import { address, useRoute } from "../route";
import { useHasRole } from "../session";
import { adminTexts } from "../texts";
import styles from "./PlansSection.module.css";
import plain from "./texts.json";

const PAYERS = ["key", "partner"] as const;

const texts = translations(plain);

export function PlansSection() {
  const t = useText(texts);
  const mayChange = useHasRole("owner");
  const { item } = useRoute();
  const [chosen, setEdited] = useState<Plan | "new" | null>(null);
  const plans = useRead<ListPage<Plan>>("/plans");
  const linked = mayChange ? plans.data?.items.find((plan) => plan.id === item) : undefined;
  const edited = chosen ?? linked ?? null;
  const close = () => {
    setEdited(null);
    if (item !== null) location.hash = address("plans");
  };
  const columns = useColumns(setEdited, mayChange);
  const newPlan = mayChange && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setEdited("new")}>
      {t.newPlan}
    </Button>
  );
  return (
    <Section title={t.title} intro={t.intro} actions={newPlan}>
      {!mayChange && <Notice>{t.ownerOnly}</Notice>}
      <LoadedTable
        of={plans}
        empty={
          <Empty title={t.empty} action={newPlan}>
            {t.emptyDetail}
          </Empty>
        }
        caption={t.title}
        columns={columns}
        rowId={(plan) => plan.id}
      />
      {edited !== null && <PlanForm plan={edited === "new" ? null : edited} onClose={close} />}
    </Section>
  );
}

function useColumns(edit: (plan: Plan) => void, mayChange: boolean): Column<Plan>[] {
  const t = useText(texts);
  const a = useText(adminTexts);
  const f = useFormats();
  const columns: Column<Plan>[] = [
    { id: "name", header: a.name, cell: (plan) => <Name text={plan.name} />, isTitle: true },
    {
      id: "status",
      header: a.status,
      cell: (plan) => (
        <Badge tone={plan.is_archived ? "neutral" : "success"}>{plan.is_archived ? t.archived : t.current}</Badge>
      ),
    },
    {
      id: "fee",
      header: t.fee,
      cell: ({ pricing }) => f.money(pricing.monthly_fee || "0", pricing.currency || "EUR"),
      isNumber: true,
    },
    {
      id: "payer",
      header: t.payer,
      cell: ({ pricing }) => t.payers[pricing.charged_per ?? "key"] + (pricing.is_pro_rata ? t.byDays : ""),
    },
    { id: "included", header: t.included, cell: ({ pricing }) => f.number(pricing.included_units), isNumber: true },
    {
      id: "tiers",
      header: t.tiers,
      cell: ({ pricing }) => <Tiers pricing={pricing} />,
    },
    {
      id: "vat",
      header: t.vat,
      cell: ({ pricing }) => f.rate(pricing.vat_rate || "0"),
      isNumber: true,
    },
  ];
  if (!mayChange) return columns;
  const actions: Column<Plan> = {
    id: "actions",
    header: a.actions,
    cell: (plan) => (
      <Button variant="subtle" size="compact-sm" onClick={() => edit(plan)} aria-label={t.editPlan(plan.name)}>
        {a.edit}
      </Button>
    ),
  };
  return [...columns, actions];
}

/** The price of a unit in each tier. */
export function Tiers({ pricing }: { pricing: Pricing }) {
  const t = useText(texts);
  const f = useFormats();
  return (
    <Lines>
      {pricing.tiers.map((tier) => {
        const price = f.money(tier.unit_price, pricing.currency);
        const text = tier.up_to === null ? t.rest(price) : t.upTo(f.number(tier.up_to), price);
        return <Small key={text}>{text}</Small>;
      })}
    </Lines>
  );
}

function PlanForm({ plan, onClose }: { plan: Plan | null; onClose: () => void }) {
  const t = useText(texts);
  const a = useText(adminTexts);
  const tiers = useTierRules();
  const form = useForm({
    initialValues: {
      name: plan?.name ?? "",
      is_archived: plan?.is_archived ?? false,
      pricing: {
        ...(plan ? termsValues(plan.pricing) : NEW_TERMS),
        charged_per: plan?.pricing.charged_per ?? ("key" as const),
      },
    },
    validate: { name: (value) => (value.trim() ? null : a.required), pricing: { tiers } },
  });
  const save = async () => {
    const { name, is_archived, pricing } = form.getValues();
    const terms = { ...termsBody(pricing), charged_per: pricing.charged_per };
    if (plan) {
      const isRepriced = form.isDirty("pricing");
      const body = { name, is_archived, ...(isRepriced ? { pricing: terms } : {}) };
      await call(`/plans/${encodeURIComponent(plan.id)}`, { method: "PATCH", body });
    } else {
      await call("/plans", { method: "POST", body: { name, pricing: terms } });
    }
  };
  return (
    <FormDialog
      title={plan ? t.editPlan(plan.name) : t.newPlan}
      submitLabel={plan ? a.save : a.create}
      conflict={a.nameTaken}
      form={form}
      onSubmit={save}
      onClose={onClose}
      isLong
    >
      <TextInput label={a.name} maxLength={200} dir="auto" data-autofocus {...form.getInputProps("name")} />
      <FieldGroup title={t.terms}>
        <Radio.Group label={t.payer} className={styles.payer} {...form.getInputProps("pricing.charged_per")}>
          <div className={styles.payers}>
            {PAYERS.map((payer) => (
              <Radio key={payer} value={payer} label={t.payers[payer]} description={t.payerNotes[payer]} />
            ))}
          </div>
        </Radio.Group>
        <PricingFields form={form} />
      </FieldGroup>
      {plan && (
        <Switch
          label={t.archive}
          description={t.archiveNote}
          {...form.getInputProps("is_archived", { type: "checkbox" })}
        />
      )}
    </FormDialog>
  );
}
