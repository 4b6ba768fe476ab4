import { type ReactNode, useId } from "react";
import { useCan } from "../../api/role.ts";
import { EmptyState } from "../../parts/notices.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { change, pageSize, refreshChoices, rowChoices, type Settings, useSettings } from "../../parts/settings.ts";
import { watchedSystems } from "../../systems.ts";
import { Config } from "./config.tsx";

const configured = ["gateway", "account", ...watchedSystems] as const;

/** The preferences of this device and the configuration of the services. */
export function SettingsPage() {
  const canSeeConfig = useCan("OPERATOR");
  return (
    <Page title="Settings" about="Preferences on this device, and the configuration of the services">
      <Panel title="This device">
        <Preferences />
      </Panel>
      {canSeeConfig ? (
        configured.map(system => <Config key={system} system={system} />)
      ) : (
        <Panel title="Configuration of the services">
          <EmptyState title="For operators only">The configuration of the services is masked for your role.</EmptyState>
        </Panel>
      )}
    </Page>
  );
}

const zones: readonly [Settings["zone"], string][] = [
  ["local", `Local (${Intl.DateTimeFormat().resolvedOptions().timeZone})`],
  ["utc", "UTC"],
];
const themes: readonly [Settings["theme"], string][] = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
];

function Preferences() {
  const { every, zone, theme, keys } = useSettings();
  return (
    <div className="divide-y">
      <Choice
        name="Refresh"
        about="How often pages reload their data. Paused while rows are selected or the tab is hidden."
        value={every}
        among={refreshChoices}
        choose={chosen => change({ every: Number(chosen) })}
      />
      <Choice
        name="Times"
        about="Time zone of exact times."
        value={zone}
        among={zones}
        choose={chosen => change({ zone: chosen === "utc" ? "utc" : "local" })}
      />
      <Choice
        name="Rows"
        about="Rows per page of a list."
        value={pageSize()}
        among={rowChoices.map(rows => [rows, String(rows)] as const)}
        choose={chosen => change({ rows: Number(chosen) })}
      />
      <Choice
        name="Theme"
        about="Light, dark, or the system setting."
        value={theme}
        among={themes}
        choose={chosen => change({ theme: themes.find(([one]) => one === chosen)?.[0] ?? "system" })}
      />
      <Line name="Single-key shortcuts" about="Keys such as / and r. Turn them off if you use dictation or type by accident.">
        {named => (
          <input {...named} type="checkbox" className="size-4" checked={keys} onChange={event => change({ keys: event.target.checked })} />
        )}
      </Line>
    </div>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly about: string;
  readonly value: string | number;
  readonly among: readonly (readonly [value: string | number, name: string])[];
  readonly choose: (chosen: string) => void;
}

const Choice = ({ name, about, value, among, choose }: ChoiceProps) => (
  <Line name={name} about={about}>
    {named => (
      <select {...named} className="quiet-select w-full" value={value} onChange={event => choose(event.target.value)}>
        {among.map(([one, word]) => (
          <option key={one} value={one}>
            {word}
          </option>
        ))}
      </select>
    )}
  </Line>
);

function Line({
  name,
  about,
  children,
}: {
  name: string;
  about: string;
  children: (named: { id: string; "aria-describedby": string }) => ReactNode;
}) {
  const id = useId();
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-64">
        <label htmlFor={id} className="font-medium">
          {name}
        </label>
        <p id={`${id}-about`} className="text-soft">
          {about}
        </p>
      </div>
      <div className="w-52 shrink-0">{children({ id, "aria-describedby": `${id}-about` })}</div>
    </div>
  );
}
