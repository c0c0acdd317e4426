// The statement of a partner for a month, on one sheet to print, with the partner's legal data.
import { Button } from "@mantine/core";
import type { BillingPreview } from "../../api/types";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { Empty } from "../../shell/states";
import { RequestError } from "../components/elements";
import { useCustomerFacts } from "../partners/CustomerFacts";
import { usePartner } from "../partners/PartnerPage";
import { BillingState } from "./Billing";
import styles from "./BillSheet.module.css";
import { BillTables } from "./BillTables";
import type { PartnerBills } from "./bills";
import { usageTexts } from "./texts";

export function BillSheet({
  preview,
  of,
  onBack,
}: {
  preview: BillingPreview;
  of: PartnerBills | undefined;
  onBack: () => void;
}) {
  const t = useText(usageTexts);
  const f = useFormats();
  return (
    <>
      <div className={styles.actions}>
        <Button variant="default" leftSection={<Icon name="left" size={16} />} onClick={onBack}>
          {t.back}
        </Button>
        {of && <Button onClick={() => print()}>{t.print}</Button>}
      </div>
      {of === undefined ? (
        <Empty title={t.sheetGone} />
      ) : (
        <article className={styles.sheet}>
          <h2>{t.statement(f.month(preview.month))}</h2>
          <BillingState preview={preview} />
          <LegalData id={of.partner.id} name={of.partner.name} />
          <BillTables of={of} />
          <p className={styles.note}>{t.statementNote}</p>
        </article>
      )}
    </>
  );
}

function LegalData({ id, name }: { id: string; name: string }) {
  const partner = usePartner(id);
  const facts = useCustomerFacts();
  return (
    <section className={styles.partner}>
      <strong>
        <bdi>{name}</bdi>
      </strong>
      {partner.isError && <RequestError error={partner.error} onRetry={() => void partner.refetch()} />}
      {partner.data && (
        <dl>
          {facts(partner.data).map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
