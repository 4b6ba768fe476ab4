import { declareSystem, type System } from "../kernel/system/system.ts";
import { gatewayProblems, gatewaySettings } from "./config.ts";
import { apiPermissions } from "./nats_permissions.ts";
import { reachable } from "./services.ts";

/** The gateway in front of these systems. */
export function gatewayOf(systems: readonly System[]) {
  const services = reachable(systems);
  const spec = gatewaySettings(services.names);
  return declareSystem({
    name: "gateway",
    settings: spec,
    problems: (settings, { environment }) => gatewayProblems(settings, environment),
    database: false,
    serves: ["browsers"],
    api: {
      needs: ["services", "redis"],
      nats: apiPermissions,
      create: async (kernel, settings, context) => {
        const { gatewayApi } = await import("./api_role.ts");
        return gatewayApi(kernel, settings, { ...services, spec }, context);
      },
    },
  });
}
