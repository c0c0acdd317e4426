// How the data of a customer is written: numbers in groups, addresses in lines, countries by name.
import { useMemo } from "react";
import type { Partner } from "../../api/types";
import { useLanguage } from "../../shell/language";

/** ISO 3166-1 alpha-2. The API has the same list. */
const COUNTRIES =
  "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW".split(
    " ",
  );

/** The countries by name, France first. */
export function useCountries(): { value: string; label: string }[] {
  const { language } = useLanguage();
  return useMemo(() => {
    const names = new Intl.DisplayNames(language, { type: "region" });
    const all = COUNTRIES.map((value) => ({ value, label: names.of(value) ?? value }));
    all.sort((one, other) => one.label.localeCompare(other.label, language));
    return [...all.filter(({ value }) => value === "FR"), ...all.filter(({ value }) => value !== "FR")];
  }, [language]);
}

/** The address as on an envelope. France is left out. */
export function useAddressLines(): (address: Partner["billing_address"]) => string[] {
  const countries = useCountries();
  return ({ lines, postcode, city, country }) => {
    const name = country === null || country === "FR" ? "" : countries.find(({ value }) => value === country)?.label;
    return [...lines, [postcode, city].filter(Boolean).join(" "), name ?? ""].filter(Boolean);
  };
}

/** "732829320" becomes "732 829 320". */
export function groupedSiren(siren: string): string {
  return siren.replace(/(\d{3})(?=\d)/g, "$1\u00a0");
}

/** "FR44732829320" becomes "FR 44 732829320". Other numbers stay as they are. */
export function groupedVat(number: string): string {
  return number.replace(/^FR(..)(\d{9})$/, "FR\u00a0$1\u00a0$2");
}
