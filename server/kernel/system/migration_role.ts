import type { RoleContext } from "../life/role.ts";
import { type Service, service } from "../life/service.ts";
import { migrate } from "../postgres/migrations.ts";

/** `<system>:migrate`. */
export const migrationRole = (system: string, ownerUrl: string, { log }: RoleContext): Service =>
  service({
    async start(stopping) {
      // The database rolls an interrupted migration back when the process has ended.
      const stopped = new Promise(resolve => stopping.addEventListener("abort", resolve));
      await Promise.race([
        migrate({ system, ownerUrl, applied: migration => log.info({ system, migration }, "migration.applied") }),
        stopped,
      ]);
    },
    stop: async () => {},
  });
