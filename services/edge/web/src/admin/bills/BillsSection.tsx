// The issued bills and credit notes, and the correction of a bill, which is a further document.
import { Button, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import type { IssuedBill, ListPage } from "../../api/types";
import { capitalized, plusMonths, todayInParis, useFormats } from "../../shell/format";
import { translations, useText } from "../../shell/language";
import { Empty, Notice } from "../../shell/states";
import { call, query } from "../client";
import type { Column } from "../components/DataTable";
import { Lines, Name, Section, Small, Toolbar } from "../components/elements";
import { FormDialog } from "../components/FormDialog";
import { DecimalField, PartnerFilter, SearchField, useFieldRules } from "../components/fields";
import { LoadedTable, useRead } from "../components/loaded";
import { normaliseDecimal, shiftDecimalPoint } from "../components/PricingFields";
import { address, useRoute } from "../route";
import { useHasRole } from "../session";
import { adminTexts } from "../texts";
import { CsvMenu } from "../usage/CsvMenu";
import plain from "./texts.json";

const texts = translations(plain);

const MONTHS = 24;
const EVERY = { from: "2000-01", to: "2199-12" };

export function BillsSection() {
  const t = useText(texts);
  const a = useText(adminTexts);
  const f = useFormats();
  const { params, setParams } = useRoute();
  const [corrected, correct] = useState<IssuedBill | null>(null);
  const now = todayInParis().slice(0, 7);
  const [month, number, partner] = [params.get("month") ?? now, params.get("number"), params.get("partner")];
  const range = month === "all" || number ? EVERY : { from: month, to: month };
  const bills = useRead<ListPage<IssuedBill>>(`/bills${query({ ...range, number, partner })}`, { keeps: true });
  const months = Array.from({ length: MONTHS }, (_, ago) => plusMonths(now, -ago));
  const columns = useColumns(correct);
  return (
    <Section
      title={t.title}
      intro={t.intro}
      actions={<CsvMenu filters={{ ...range, partner, number }} tables={["accounting"]} period={month} />}
    >
      <Toolbar>
        <SearchField label={t.number} value={number ?? ""} onSearch={(text) => setParams({ number: text })} />
        <PartnerFilter value={partner} onChange={(id) => setParams({ partner: id })} />
        <Select
          label={t.month}
          data={[
            { value: "all", label: a.all },
            ...months.map((each) => ({ value: each, label: capitalized(f.month(each)) })),
          ]}
          value={number ? "all" : month}
          disabled={Boolean(number)}
          allowDeselect={false}
          onChange={(chosen) => setParams({ month: chosen })}
        />
      </Toolbar>
      <LoadedTable
        of={bills}
        empty={<Empty title={t.empty}>{t.emptyDetail}</Empty>}
        caption={t.title}
        columns={columns}
        rowId={(bill) => bill.id}
      />
      {corrected && <CorrectionForm bill={corrected} onClose={() => correct(null)} />}
    </Section>
  );
}

function useColumns(correct: (bill: IssuedBill) => void): Column<IssuedBill>[] {
  const t = useText(texts);
  const a = useText(adminTexts);
  const f = useFormats();
  const isOwner = useHasRole("owner");
  const amount = (id: "net" | "vat" | "gross"): Column<IssuedBill> => ({
    id,
    header: t[id],
    cell: (bill) => f.money(bill.kind === "credit_note" ? `-${bill[id]}` : bill[id], bill.currency),
    isNumber: true,
  });
  return [
    {
      id: "number",
      header: t.number,
      cell: (bill) => (
        <Lines>
          <a href={`/api/v1/admin/bills/${bill.id}.pdf`}>
            {t.kinds[bill.kind ?? "bill"]} {bill.number} (PDF)
          </a>
          {bill.corrected_number && <Small>{t.corrects(bill.corrected_number)}</Small>}
        </Lines>
      ),
      isTitle: true,
    },
    {
      id: "partner",
      header: a.partner,
      cell: ({ partner }) => (
        <a href={address("partners", {}, partner.id)}>
          <Name text={partner.name} />
        </a>
      ),
    },
    { id: "month", header: t.billed, cell: (bill) => capitalized(f.month(bill.month)) },
    { id: "date", header: t.issuedOn, cell: (bill) => f.date(bill.issued_on) },
    { id: "due", header: t.dueOn, cell: (bill) => f.date(bill.due_on) },
    amount("net"),
    amount("vat"),
    amount("gross"),
    ...(isOwner
      ? [
          {
            id: "actions",
            header: a.actions,
            cell: (bill: IssuedBill) =>
              bill.corrected_number === null && (
                <Button
                  variant="default"
                  size="xs"
                  aria-label={t.correctOne(bill.number)}
                  onClick={() => correct(bill)}
                >
                  {t.correct}
                </Button>
              ),
          },
        ]
      : []),
  ];
}

function CorrectionForm({ bill, onClose }: { bill: IssuedBill; onClose: () => void }) {
  const t = useText(texts);
  const { required } = useFieldRules();
  const form = useForm({
    initialValues: { amount: "", reason_fr: "", reason_en: "", vat_rate: "" },
    validate: { amount: required, reason_fr: required, reason_en: required },
  });
  const issue = async () => {
    const { amount, vat_rate: rate, ...reasons } = form.getValues();
    const vatRate = rate && { vat_rate: shiftDecimalPoint(normaliseDecimal(rate), -2) };
    const body = { ...reasons, amount: normaliseDecimal(amount).replace("−", "-"), ...vatRate };
    await call(`/bills/${encodeURIComponent(bill.id)}/corrections`, { method: "POST", body });
  };
  return (
    <FormDialog title={t.correctOne(bill.number)} submitLabel={t.issue} form={form} onSubmit={issue} onClose={onClose}>
      <Notice>{t.correction}</Notice>
      <DecimalField label={t.amount} {...form.getInputProps("amount")} />
      <TextInput label={t.reasonFr} {...form.getInputProps("reason_fr")} />
      <TextInput label={t.reasonEn} {...form.getInputProps("reason_en")} />
      <DecimalField label={t.rate} {...form.getInputProps("vat_rate")} />
    </FormDialog>
  );
}
