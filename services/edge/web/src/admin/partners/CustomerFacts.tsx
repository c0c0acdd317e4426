// The data of a customer, as bills state it.
import type { ReactNode } from "react";
import type { Partner } from "../../api/types";
import { useText } from "../../shell/language";
import { Lines } from "../components/elements";
import { groupedSiren, groupedVat, useAddressLines } from "./customer";
import { partnerTexts } from "./texts";

/** By name. Unknown ones say so. */
export function useCustomerFacts(): (partner: Partner) => [string, ReactNode][] {
  const t = useText(partnerTexts);
  const addressLines = useAddressLines();
  const lines = (texts: readonly ReactNode[]) =>
    texts.length === 0 ? (
      t.notGiven
    ) : (
      <Lines>
        {texts.map((text, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of an address can be equal
          <bdi key={index}>{text}</bdi>
        ))}
      </Lines>
    );
  return ({ legal_name: legalName, siren, vat_number: vat, contact, billing_address: address }) => [
    [t.legalName, lines(legalName ? [legalName] : [])],
    [t.siren, siren ? groupedSiren(siren) : t.notGiven],
    [t.vatNumber, vat ? groupedVat(vat) : t.notGiven],
    [t.address, lines(addressLines(address))],
    [
      t.contact,
      lines([contact.name, contact.email && <Email key="email" to={contact.email} />, contact.phone].filter(Boolean)),
    ],
  ];
}

function Email({ to }: { to: string }) {
  return <a href={`mailto:${encodeURIComponent(to)}`}>{to}</a>;
}
