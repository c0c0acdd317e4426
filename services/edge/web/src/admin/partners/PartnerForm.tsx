// The forms to create, change, disable and enable a partner.
import { Select, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import type { ListPage, Partner, Plan } from "../../api/types";
import { useText } from "../../shell/language";
import { call } from "../client";
import { ConfirmDialog, FieldGroup, FormDialog } from "../components/FormDialog";
import { useFieldRules } from "../components/fields";
import { useRead } from "../components/loaded";
import { metadataLines, readMetadata } from "../keys/formValues";
import styles from "../keys/KeyForm.module.css";
import { keyTexts } from "../keys/texts";
import { useHasRole } from "../session";
import { adminTexts } from "../texts";
import { groupedSiren, useCountries } from "./customer";
import { partnerTexts } from "./texts";

const MAX_NAME = 200;

/** Fields have the names of the API's members, so that `errors[].pointer` finds the field. */
interface PartnerValues {
  name: string;
  legal_name: string;
  siren: string;
  vat_number: string;
  contact: { name: string; email: string; phone: string };
  /** The lines are one text. */
  billing_address: { lines: string; postcode: string; city: string; country: string };
  default_plan: string;
  /** "name = value", one per line. */
  metadata: string;
}

export function PartnerForm({
  partner,
  onDone,
  onClose,
}: {
  /** Null for a new one. */
  partner: Partner | null;
  onDone?: (partner: Partner) => void;
  onClose: () => void;
}) {
  const t = useText(partnerTexts);
  const a = useText(adminTexts);
  const [before] = useState(() => valuesOf(partner));
  const form = usePartnerForm(before);
  const save = async () => {
    const body = bodyOf(form.getValues());
    const old = bodyOf(before);
    const changed = Object.entries(body).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name]));
    if (partner === null || changed.length > 0) {
      const path = partner ? `/partners/${encodeURIComponent(partner.id)}` : "/partners";
      const method = partner ? "PATCH" : "POST";
      const saved = await call<Partner>(path, { method, body: Object.fromEntries(changed) });
      onDone?.(saved);
    }
  };
  return (
    <FormDialog
      title={partner ? t.editOne(partner.name) : t.newPartner}
      submitLabel={partner ? a.save : a.create}
      conflict={a.nameTaken}
      form={form}
      onSubmit={save}
      onClose={onClose}
      isLong
    >
      <PartnerFields form={form} />
    </FormDialog>
  );
}

function usePartnerForm(initialValues: PartnerValues) {
  const k = useText(keyTexts);
  const { required } = useFieldRules();
  return useForm<PartnerValues>({
    initialValues,
    validate: { name: required, metadata: (value) => (readMetadata(value) === null ? k.metadataWrong : null) },
  });
}

type PartnerFormType = ReturnType<typeof usePartnerForm>;

function PartnerFields({ form }: { form: PartnerFormType }) {
  const t = useText(partnerTexts);
  const a = useText(adminTexts);
  const k = useText(keyTexts);
  const countries = useCountries();
  const field = form.getInputProps;
  return (
    <>
      <FieldGroup title={t.company}>
        <TextInput
          label={a.name}
          description={t.nameNote}
          className={styles.whole}
          maxLength={MAX_NAME}
          dir="auto"
          data-autofocus
          {...field("name")}
        />
        <TextInput
          label={t.legalName}
          className={styles.whole}
          maxLength={MAX_NAME}
          dir="auto"
          {...field("legal_name")}
        />
        <TextInput label={t.siren} description={t.sirenNote} maxLength={40} {...field("siren")} />
        <TextInput label={t.vatNumber} description={t.vatNote} maxLength={40} {...field("vat_number")} />
      </FieldGroup>
      <FieldGroup title={t.address}>
        <Textarea
          label={t.addressLines}
          description={t.addressNote}
          className={styles.whole}
          rows={2}
          dir="auto"
          {...field("billing_address.lines")}
        />
        <TextInput label={t.postcode} maxLength={12} {...field("billing_address.postcode")} />
        <TextInput label={t.city} maxLength={MAX_NAME} dir="auto" {...field("billing_address.city")} />
        <Select label={t.country} data={countries} searchable clearable {...field("billing_address.country")} />
      </FieldGroup>
      <FieldGroup title={t.contact}>
        <TextInput
          label={t.contactName}
          className={styles.whole}
          maxLength={MAX_NAME}
          dir="auto"
          {...field("contact.name")}
        />
        <TextInput label={t.email} type="email" maxLength={254} {...field("contact.email")} />
        <TextInput label={t.phone} type="tel" maxLength={40} {...field("contact.phone")} />
      </FieldGroup>
      <DefaultPlan form={form} />
      <FieldGroup title={k.metadata}>
        <Textarea
          aria-label={k.metadata}
          description={k.metadataNote}
          className={styles.whole}
          rows={2}
          {...field("metadata")}
        />
      </FieldGroup>
    </>
  );
}

function DefaultPlan({ form }: { form: PartnerFormType }) {
  const t = useText(partnerTexts);
  const a = useText(adminTexts);
  const maySetPrices = useHasRole("owner");
  const plans = useRead<ListPage<Plan>>("/plans");
  const offered = (plans.data?.items ?? []).filter((plan) => !plan.is_archived && plan.pricing !== null);
  const current = form.getInitialValues().default_plan;
  const names = [...new Set([...(current ? [current] : []), ...offered.map((plan) => plan.name)])];
  if (!maySetPrices) return <FieldGroup title={t.defaultPlan} note={`${current || a.none}. ${t.ownersChoose}`} />;
  return (
    <FieldGroup title={t.terms}>
      <Select
        label={t.defaultPlan}
        description={t.defaultPlanNote}
        className={styles.whole}
        placeholder={a.none}
        data={names}
        searchable
        clearable
        {...form.getInputProps("default_plan")}
        value={form.values.default_plan || null}
        onChange={(name) => form.setFieldValue("default_plan", name ?? "")}
      />
    </FieldGroup>
  );
}

export function ToggleForm({ partner, onClose }: { partner: Partner; onClose: () => void }) {
  const t = useText(partnerTexts);
  const isActive = partner.status === "active";
  return (
    <ConfirmDialog
      title={isActive ? t.disableOne(partner.name) : t.enableOne(partner.name)}
      submitLabel={isActive ? t.disable : t.enable}
      send={[`/partners/${encodeURIComponent(partner.id)}`, "PATCH", { status: isActive ? "disabled" : "active" }]}
      onClose={onClose}
      isDangerous={isActive}
    >
      <p>{isActive ? t.disableDetail : t.enableDetail}</p>
    </ConfirmDialog>
  );
}

function valuesOf(partner: Partner | null): PartnerValues {
  const { contact, billing_address: address } = partner ?? {};
  return {
    name: partner?.name ?? "",
    legal_name: partner?.legal_name ?? "",
    siren: groupedSiren(partner?.siren ?? ""),
    vat_number: partner?.vat_number ?? "",
    contact: { name: contact?.name ?? "", email: contact?.email ?? "", phone: contact?.phone ?? "" },
    billing_address: {
      lines: (address?.lines ?? []).join("\n"),
      postcode: address?.postcode ?? "",
      city: address?.city ?? "",
      country: partner === null ? "FR" : (address?.country ?? ""),
    },
    default_plan: partner?.default_plan ?? "",
    metadata: metadataLines(partner?.metadata ?? {}).join("\n"),
  };
}

/** Empty texts are null. */
function bodyOf(values: PartnerValues): Record<string, unknown> {
  const { contact, billing_address: address } = values;
  const text = (value: string | null) => value?.trim() || null;
  const lines = address.lines.split("\n").map((line) => line.trim());
  const country = address.lines || address.postcode || address.city ? text(address.country) : null;
  return {
    name: values.name.trim(),
    legal_name: text(values.legal_name),
    siren: text(values.siren),
    vat_number: text(values.vat_number),
    contact: { name: text(contact.name), email: text(contact.email), phone: text(contact.phone) },
    billing_address: {
      lines: lines.filter(Boolean),
      postcode: text(address.postcode),
      city: text(address.city),
      country,
    },
    default_plan: text(values.default_plan),
    metadata: readMetadata(values.metadata) ?? {},
  };
}
