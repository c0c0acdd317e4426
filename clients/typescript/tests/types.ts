// What the compiler accepts and refuses. It is compiled and never run.
import { LandPartner } from "../src/index.js";

export async function types(client: LandPartner): Promise<void> {
  const resolved = await client.resolve({ label: "1 rue du 8 mai 1945" });
  const ids: string[] = resolved.parcel_ids;
  const unit = await client.landUnit({ parcel_ids: ids, include: ["land"] });
  const feature = unit.features[0];
  const prices: (number | null)[] = feature?.properties.history.dvf_sales.map((sale) => sale.valeur_fonciere) ?? [];
  for await (const parcel of client.parcels({ bbox: "1.9,47.0,2.0,47.1" })) {
    const id: string = parcel.id;
    prices.push(id.length);
  }
  // @ts-expect-error: there is no such member
  await client.resolve({ lable: "1 rue du 8 mai 1945" });
  // @ts-expect-error: there is no such block
  await client.landUnit({ parcel_ids: ids, include: ["gardens"] });
  // @ts-expect-error: a member of an answer has its own name
  void resolved.parcel;
}
