const grants = [
  { stock_keeping_unit: "starter-pack", reason: "PURCHASE", purchase_id: "demo-1" },
  { stock_keeping_unit: "season-pass", reason: "PURCHASE", purchase_id: "demo-2" },
  { stock_keeping_unit: "beta-access", reason: "CAMPAIGN", purchase_id: "demo-3" },
];

/** Demo data: entitlements of the user `demo`. The idempotency keys are fixed, so a repetition is a replay or, after their TTL, a harmless 409. */
export async function seedDemo(entitlementUrl: string, key: string): Promise<void> {
  for (const grant of grants) {
    const answer = await fetch(`${entitlementUrl}/v1/entitlements/grants`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": `demo-seed-${grant.purchase_id}`,
      },
      body: JSON.stringify({ user_id: "demo", ...grant }),
    });
    if (answer.status !== 200 && answer.status !== 409) throw new Error(`seeding demo data: ${answer.status} ${await answer.text()}`);
  }
}
