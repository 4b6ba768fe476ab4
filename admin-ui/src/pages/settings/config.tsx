import { useQuery } from "@tanstack/react-query";
import type { EffectiveSetting } from "../../../../server/kernel/config/config.ts";
import { Icon } from "../../parts/icons.tsx";
import { ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Panel } from "../../parts/page.tsx";
import type { Configured } from "./queries.ts";
import { config } from "./queries.ts";

/** The configuration of a service, read only. */
export function Config({ system }: { system: Configured }) {
  const { data, error, isPending, refetch } = useQuery(config(system));
  const all = data?.flatMap(group => group.settings) ?? [];
  return (
    <Panel
      title={`Configuration of ${system}`}
      aside={
        data && (
          <span className="text-faint">{`${all.filter(one => one.is_set).length} of ${all.length} set, the others have their default`}</span>
        )
      }
    >
      {error && <ErrorNotice what="The configuration cannot be shown." error={error} retry={() => void refetch()} />}
      {isPending && <Skeleton rows={12} />}
      {data?.map(group => (
        <div key={group.name}>
          <h3 className="heading border-b bg-ground px-4 py-1.5">{group.name === "kernel" ? "All processes" : `Only ${group.name}`}</h3>
          <dl className="divide-y border-b last:border-0">
            {group.settings.map(setting => (
              <Setting key={setting.variable} setting={setting} />
            ))}
          </dl>
        </div>
      ))}
    </Panel>
  );
}

const Setting = ({ setting }: { setting: EffectiveSetting }) => (
  <div className="grid gap-x-6 gap-y-0.5 px-4 py-1.5 md:grid-cols-[20rem_minmax(0,14rem)_minmax(0,1fr)]">
    <dt className={`mono break-all ${setting.is_set ? "font-semibold" : ""}`}>{setting.variable}</dt>
    <dd className="min-w-0">
      <Value setting={setting} />
    </dd>
    <dd className="min-w-0 text-soft">
      {setting.about}
      {setting.is_set && setting.preset !== null && setting.preset !== setting.value && (
        <span className="text-faint">
          {" "}
          (default <span className="mono">{setting.preset}</span>)
        </span>
      )}
    </dd>
  </div>
);

function Value({ setting: { value, is_set, is_secret } }: { setting: EffectiveSetting }) {
  if (is_secret)
    return (
      <span className={`inline-flex items-center gap-1.5 ${is_set ? "" : "text-faint"}`}>
        <Icon name="key" className="size-3.5" />
        {is_set ? "set" : "not set"}
      </span>
    );
  if (value === null) return <span className="text-faint">not set</span>;
  return <span className={`mono break-all ${is_set ? "font-semibold" : "text-soft"}`}>{value}</span>;
}
