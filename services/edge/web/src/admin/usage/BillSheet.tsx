// The statement of a partner for a month, on one sheet to print, with the partner's legal data.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { BillingPreview, ListPage, Partner } from "../../api/types";
import { useFormats } from "../../shell/format";
import { Icon } from "../../shell/icons";
import { useText } from "../../shell/language";
import { Empty } from "../../shell/states";
import { call, query } from "../client";
import { RequestError } from "../components/elements";
import { LEGAL_MEMBERS, legalData, legalTexts } from "../partners/legalData";
import { BillingState } from "./Billing";
import styles from "./BillSheet.module.css";
import { BillTables } from "./BillTables";
import type { PartnerBills } from "./bills";
import { usageTexts } from "./texts";

const MAX_PARTNERS = 200;

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
  const t = useText(usageTexts);
  const labels = useText(legalTexts);
  const wanted = query({ q: name, limit: MAX_PARTNERS });
  const partners = useQuery({
    queryKey: ["partners", wanted],
    queryFn: ({ signal }) => call<ListPage<Partner>>(`/partners${wanted}`, { signal }),
  });
  const partner = partners.data?.items.find((each) => each.id === id);
  const legal = legalData(partner?.metadata ?? {});
  return (
    <section className={styles.partner}>
      <strong>
        <bdi>{name}</bdi>
      </strong>
      {partners.isError && <RequestError error={partners.error} onRetry={() => void partners.refetch()} />}
      {partner && (
        <dl>
          {LEGAL_MEMBERS.map((member) => (
            <div key={member}>
              <dt>{labels[member]}</dt>
              <dd>
                <bdi>{legal[member] || t.notGiven}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
