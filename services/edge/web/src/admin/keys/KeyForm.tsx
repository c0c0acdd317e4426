// The form to create or change a key, with useful defaults.
import { Autocomplete, Checkbox, NumberInput, Radio, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { useRef, useState } from "react";
import { type ApiKey, type AssistantMode, type IssuedKey, type ListPage, type Plan, SCOPES } from "../../api/types";
import { folded } from "../../shell/folded";
import { useFormats } from "../../shell/format";
import { useText } from "../../shell/language";
import { Notice } from "../../shell/states";
import { call } from "../client";
import { FieldGroup, FormDialog } from "../components/FormDialog";
import { DecimalField, useFieldRules, usePartnersNamed } from "../components/fields";
import { useRead } from "../components/loaded";
import { NEW_TERMS, normaliseDecimal, PricingFields, StartingMonth, useTierRules } from "../components/PricingFields";
import { useHasRole } from "../session";
import { adminTexts } from "../texts";
import { changedBody, type KeyValues, NEW_KEY, newBody, type PriceChoice, readMetadata, valuesOf } from "./formValues";
import styles from "./KeyForm.module.css";
import { PlanNotice } from "./PlanNotice";
import { keyTexts } from "./texts";

const MAX_NAME = 200;

export function NewKeyForm({
  partner = "",
  onCreated,
  onClose,
}: {
  /** The name of its partner, to begin with. */
  partner?: string | undefined;
  onCreated: (issued: IssuedKey) => void;
  onClose: () => void;
}) {
  const t = useText(keyTexts);
  const form = useKeyForm({ ...NEW_KEY, partner });
  const idempotency = useRef({ body: "", key: "" });
  const create = async () => {
    const body = newBody(form.getValues());
    const text = JSON.stringify(body);
    // A retry with the same body uses the same idempotency key, so a lost answer does not create a second key.
    if (idempotency.current.body !== text) idempotency.current = { body: text, key: randomText() };
    const headers = { "idempotency-key": idempotency.current.key };
    const issued = await call<IssuedKey>("/api-keys", { method: "POST", body, headers });
    onCreated(issued);
    return "stay";
  };
  return (
    <FormDialog title={t.createTitle} submitLabel={t.create} form={form} onSubmit={create} onClose={onClose} isLong>
      <KeyFields form={form} />
    </FormDialog>
  );
}

export function EditKeyForm({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const t = useText(keyTexts);
  const a = useText(adminTexts);
  const [before] = useState(() => valuesOf(apiKey));
  const form = useKeyForm(before);
  const save = async () => {
    const body = changedBody(before, form.getValues());
    if (Object.keys(body).length === 0) return;
    await call<ApiKey>(`/api-keys/${encodeURIComponent(apiKey.id)}`, { method: "PATCH", body });
  };
  return (
    <FormDialog
      conflict={t.notActive}
      title={t.editTitle(apiKey.id)}
      submitLabel={a.save}
      form={form}
      onSubmit={save}
      onClose={onClose}
      isLong
    >
      <KeyFields form={form} apiKey={apiKey} />
    </FormDialog>
  );
}

function useKeyForm(initialValues: KeyValues) {
  const t = useText(keyTexts);
  const { required } = useFieldRules();
  const tiers = useTierRules();
  return useForm<KeyValues>({
    initialValues,
    validate: {
      partner: required,
      label: required,
      pricing: { plan: (value, values) => (values.price === "plan" ? required(value) : null), tiers },
      metadata: (value) => (readMetadata(value) === null ? t.metadataWrong : null),
    },
  });
}

type KeyFormType = ReturnType<typeof useKeyForm>;

function KeyFields({ form, apiKey }: { form: KeyFormType; apiKey?: ApiKey }) {
  const isNew = apiKey === undefined;
  const plan = useChosenPlan(form, apiKey);
  const t = useText(keyTexts);
  const a = useText(adminTexts);
  const modes = Object.entries(t.assistantModes) as [AssistantMode, string][];
  return (
    <>
      <FieldGroup title={t.who}>
        {isNew && <PartnerField form={form} />}
        <TextInput
          label={a.label}
          description={t.labelNote}
          maxLength={MAX_NAME}
          dir="auto"
          {...form.getInputProps("label")}
        />
        {isNew && (
          <Radio.Group label={t.mode} className={styles.whole} {...form.getInputProps("mode")}>
            <div className={styles.choices}>
              <Radio value="live" label={t.modeLive} />
              <Radio value="test" label={t.modeTest} />
            </div>
          </Radio.Group>
        )}
        <TextInput
          type="datetime-local"
          label={t.expiresAt}
          description={t.expiresNote}
          {...form.getInputProps("expires_at")}
        />
      </FieldGroup>
      <PriceGroup form={form} apiKey={apiKey} plan={plan} />
      <FieldGroup title={t.quotaGroup} note={t.quotaNote}>
        <Count label={t.monthlyUnits} placeholder={t.emptyUnlimited} {...form.getInputProps("quota.monthly_units")} />
        <DecimalField
          label={t.spendCap}
          placeholder={t.emptyNone}
          description={plan?.pricing.charged_per === "partner" ? t.spendCapShared : undefined}
          {...form.getInputProps("quota.spend_cap")}
        />
        <Count label={t.rate} min={1} {...form.getInputProps("quota.per_minute")} />
        <Count label={t.burst} min={1} {...form.getInputProps("quota.burst")} />
        <Switch
          label={t.hard}
          description={t.hardNote}
          className={styles.whole}
          {...form.getInputProps("quota.hard", { type: "checkbox" })}
        />
      </FieldGroup>
      <FieldGroup title={t.assistantGroup}>
        <Select
          label={t.assistantMode}
          className={styles.whole}
          allowDeselect={false}
          data={modes.map(([value, label]) => ({ value, label }))}
          {...form.getInputProps("assistant_policy.mode")}
        />
        {form.values.assistant_policy.mode !== "disabled" && (
          <>
            <Count
              label={t.monthlyCalls}
              placeholder={t.emptyUnlimited}
              {...form.getInputProps("assistant_policy.monthly_calls")}
            />
            <Count
              label={t.monthlyTokens}
              placeholder={t.emptyUnlimited}
              {...form.getInputProps("assistant_policy.monthly_tokens")}
            />
          </>
        )}
      </FieldGroup>
      <FieldGroup title={t.restrictions}>
        <Checkbox.Group
          label={t.scopes}
          description={t.scopesNote}
          className={styles.whole}
          {...form.getInputProps("scopes")}
        >
          <div className={styles.choices}>
            {SCOPES.map((scope) => (
              <Checkbox key={scope} value={scope} label={<code>{scope}</code>} />
            ))}
          </div>
        </Checkbox.Group>
        <Textarea
          label={t.cidrs}
          description={t.cidrsNote}
          className={styles.whole}
          autosize={false}
          rows={2}
          spellCheck={false}
          {...form.getInputProps("allowed_cidrs")}
        />
        <Textarea
          label={t.metadata}
          description={t.metadataNote}
          className={styles.whole}
          rows={2}
          {...form.getInputProps("metadata")}
        />
      </FieldGroup>
    </>
  );
}

function PartnerField({ form }: { form: KeyFormType }) {
  const t = useText(keyTexts);
  const a = useText(adminTexts);
  const [typed] = useDebouncedValue(form.values.partner.trim(), 250);
  const partners = usePartnersNamed(typed);
  const names = [...new Set(partners.data?.items.map((partner) => partner.name) ?? [])];
  return (
    <Autocomplete
      label={a.partner}
      description={t.partnerNote}
      maxLength={MAX_NAME}
      data={names}
      filter={({ options }) => options} // the API has already filtered them
      openOnFocus={false}
      dir="auto"
      data-autofocus
      {...form.getInputProps("partner")}
    />
  );
}

function usePlans() {
  return useRead<ListPage<Plan>>("/plans");
}

/** The plan of a live key that the form selects or leaves unchanged. */
function useChosenPlan(form: KeyFormType, apiKey: ApiKey | undefined): Plan | undefined {
  const plans = usePlans().data?.items ?? [];
  const { mode, price, pricing } = form.values;
  if (mode !== "live") return undefined;
  if (price === "plan") return plans.find((plan) => plan.id === pricing.plan);
  return price === "keep" ? plans.find((plan) => plan.name === apiKey?.pricing?.plan) : undefined;
}

function PriceGroup({ form, apiKey, plan }: { form: KeyFormType; apiKey: ApiKey | undefined; plan: Plan | undefined }) {
  const isNew = apiKey === undefined;
  const t = useText(keyTexts);
  const { money } = useFormats();
  const maySetPrices = useHasRole("owner");
  const plans = usePlans();
  const partners = usePartnersNamed(useDebouncedValue(form.values.partner.trim(), 250)[0]);
  const named = partners.data?.items.find((partner) => folded(partner.name) === folded(form.values.partner));
  const offered = (plans.data?.items ?? []).filter((plan) => !plan.is_archived);
  const { price, mode } = form.values;
  // The API gives it to a new live key without a price.
  const defaultPlan = (isNew && mode === "live" && named?.default_plan) || null;
  const inherited = price === "none" ? plans.data?.items.find(({ name }) => name === defaultPlan) : undefined;
  const labels: Record<PriceChoice, string> = {
    keep: t.priceKeep,
    none: defaultPlan === null ? t.priceNone : t.priceDefault(defaultPlan),
    plan: t.pricePlan,
    own: t.priceOwn,
  };
  const hasPrice = !isNew && form.getInitialValues().price === "keep";
  const choices: PriceChoice[] = [hasPrice ? "keep" : "none", "plan", "own"];
  const chosen = plan ?? inherited;
  const fee = price === "own" ? normaliseDecimal(form.values.pricing.monthly_fee) : chosen?.pricing.monthly_fee;
  const paysFee = isNew && mode === "live" && Number(fee) > 0 && chosen?.pricing.charged_per !== "partner";
  const { is_pro_rata: isProRata } = price === "own" ? form.values.pricing : (chosen?.pricing ?? NEW_TERMS);
  const notice = (
    <>
      {paysFee && <Notice>{(isProRata ? t.feeByDays : t.feeDue)(money(fee ?? "", "EUR"))}</Notice>}
      <PlanNotice plan={chosen} partnerId={apiKey?.partner.id ?? named?.id} apiKey={apiKey} />
    </>
  );
  if (!maySetPrices) {
    const note = defaultPlan === null ? "" : `${t.priceDefault(defaultPlan)}. `;
    return (
      <FieldGroup title={t.price} note={note + t.priceOwnerOnly}>
        {notice}
      </FieldGroup>
    );
  }
  return (
    <FieldGroup title={t.price}>
      <Select
        label={t.priceChoice}
        className={price === "plan" ? undefined : styles.whole}
        allowDeselect={false}
        data={choices.map((value) => ({ value, label: labels[value] }))}
        {...form.getInputProps("price")}
      />
      {price === "plan" && (
        <>
          <Select
            label={t.plan}
            data={offered.map((plan) => ({ value: plan.id, label: plan.name }))}
            searchable
            {...form.getInputProps("pricing.plan")}
          />
          {plans.isSuccess && offered.length === 0 && (
            <div className={styles.whole}>
              <Notice>{t.planEmpty}</Notice>
            </div>
          )}
          {!isNew && <StartingMonth form={form} />}
        </>
      )}
      {price === "own" && <PricingFields form={form} />}
      {notice}
    </FieldGroup>
  );
}

function Count(props: React.ComponentProps<typeof NumberInput>) {
  return <NumberInput min={0} allowDecimal={false} allowNegative={false} thousandSeparator=" " {...props} />;
}

function randomText(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
