import { useEffect, useMemo, useState } from "preact/hooks";
import type { Choices, Overview, ShownStanding, ToolsetView, WhatIf } from "../../http/api/api.ts";
import {
  CURRENT_SCENE,
  isWhatIf,
  type PageAddress,
  type SceneChoice,
  toFragment,
  toSceneFields,
} from "../address/address.ts";
import type { Go } from "../address/use-address.ts";
import { useConnection } from "../live/connection.ts";
import { useResource } from "../live/use-resource.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { FilterField } from "../parts/filter-field.tsx";
import { formatNumber } from "../parts/format.ts";
import { Empty, ResourceNote } from "../parts/status.tsx";
import { ChangeList } from "./change-list.tsx";
import { buildRows, decidingGates, type GridRow, ORDERS, type Order } from "./grid-rows.ts";
import { Notices } from "./notices.tsx";
import { TokenSummary } from "./token-summary.tsx";
import { ToolDetails } from "./tool-details.tsx";
import { ToolGrid } from "./tool-grid.tsx";
import { useNarrow } from "./use-narrow.ts";
import { WhatIfForm } from "./what-if-form.tsx";
import { WorldButton } from "./world-button.tsx";

interface ToolsPanelProps {
  readonly address: PageAddress;
  readonly overview: Overview | null;
  readonly choices: Choices | null;
  readonly go: Go;
}

const ALL: readonly ShownStanding[] = ["visible", "deferred", "hidden"];
const NO_CHANGES: WhatIf["changes"] = [];

export function ToolsPanel({ address, overview, choices, go }: ToolsPanelProps) {
  const { scene, tool: opened } = address;
  const fields = toSceneFields(scene).toString();
  const { asks, base, note, answered } = useAskedScene(scene, fields);
  const toolset = answered?.toolset ?? base;
  const changes = answered?.changes ?? NO_CHANGES;

  const isNarrow = useNarrow(opened !== null);
  const choice = useGridChoice();
  const { filter, standings, order, onlyChanges, toggled } = choice;

  const rows = useMemo(() => {
    if (toolset === null) return [];
    const options = { filter, standings, onlyChanges: onlyChanges && answered !== null, order, toggled };
    return buildRows(toolset, answered === null ? null : base, changes, options);
  }, [toolset, base, answered, changes, filter, standings, onlyChanges, order, toggled]);

  const { deciding, gates } = useGates(toolset, answered === null ? null : base, choice.allGates);
  const open = (name: string) => go({ tool: name });
  const close = () => {
    go({ tool: null });
    document.querySelector<HTMLElement>('.grid [tabindex="0"]')?.focus();
  };

  return (
    <div class={opened === null ? "tools-panel" : "tools-panel has-details"}>
      <div class="tools-main">
        <WhatIfForm
          {...{ scene, choices, overview, isNarrow }}
          change={(part) => go((last) => ({ scene: { ...last.scene, ...part } }))}
        />
        <ResourceNote resource={note} what="tools" />
        {asks && (
          <div class="what-if-result">
            {answered !== null && (
              <ChangeList {...{ changes, onlyChanges, open }} setOnlyChanges={choice.setOnlyChanges} />
            )}
            <button
              type="button"
              onClick={() => go(({ scene: { client } }) => ({ scene: { ...CURRENT_SCENE, client } }))}
            >
              Reset
            </button>
          </div>
        )}
        {toolset !== null && (
          <>
            <TokenSummary toolset={toolset} shown={standings} toggle={choice.toggleStanding} />
            <GridTools {...{ toolset, rows, choice, address, isNarrow, deciding }} />
            {rows.length === 0 ? (
              <Empty>{toolset.tools.length === 0 ? "There are no tools yet." : "No tool matches."}</Empty>
            ) : (
              <ToolGrid
                rows={rows}
                gates={gates}
                window={toolset.contextWindow}
                isNarrow={isNarrow}
                isCompared={answered !== null}
                selected={opened}
                filter={`${filter} ${[...standings]} ${order} ${onlyChanges}`}
                open={open}
                toggle={choice.toggleGroup}
              />
            )}
          </>
        )}
      </div>
      {opened !== null && (
        <ToolDetails
          key={`${opened} ${fields}`}
          name={opened}
          scene={fields}
          tokens={toolset?.tools.find(({ name }) => name === opened)?.tokens ?? null}
          window={toolset?.contextWindow ?? 0}
          close={close}
        />
      )}
    </div>
  );
}

/** The gates that hold something back, and those that are shown. */
function useGates(now: ToolsetView | null, before: ToolsetView | null, all: boolean) {
  const deciding = useMemo(() => decidingGates(now, before), [now, before]);
  return { deciding, gates: all ? (now?.gates ?? []) : deciding };
}

/** What the grid shows of the tools, and in which order. */
function useGridChoice() {
  const [filter, setFilter] = useState("");
  const [standings, setStandings] = useState<ReadonlySet<ShownStanding>>(new Set(ALL));
  const [order, setOrder] = useState<Order>("payload");
  const [onlyChanges, setOnlyChanges] = useState(false);
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [allGates, setAllGates] = useState(false);
  return {
    ...{ allGates, setAllGates },
    ...{ filter, setFilter, standings, order, setOrder, onlyChanges, setOnlyChanges, toggled },
    toggleStanding(standing: ShownStanding) {
      const next = new Set(standings);
      if (!next.delete(standing)) next.add(standing);
      setStandings(next);
    },
    toggleGroup: (group: string, isOpen: boolean) => setToggled(new Map(toggled).set(group, isOpen)),
  };
}

interface GridToolsProps {
  readonly toolset: ToolsetView;
  readonly rows: readonly GridRow[];
  readonly choice: ReturnType<typeof useGridChoice>;
  readonly address: PageAddress;
  readonly isNarrow: boolean;
  /** The gates that hold back a tool. */
  readonly deciding: readonly string[];
}

function GridTools({ toolset, rows, choice, address, isNarrow, deciding }: GridToolsProps) {
  const found = rows.reduce((sum, row) => sum + (row.kind === "group" ? row.tools : 0), 0);
  const all = formatNumber(toolset.tools.length, "tool");
  const link = new URL(toFragment(address), location.href.replace(/#.*$/, "")).href;
  return (
    <div class="grid-tools row wraps">
      <FilterField
        label="Filter tools"
        hint="Filter by name, server or description"
        value={choice.filter}
        set={choice.setFilter}
      />
      <span class="dim" role="status">
        {found === toolset.tools.length ? all : `${found} of ${all}`}
      </span>
      <OrderField order={choice.order} set={choice.setOrder} />
      {!isNarrow && deciding.length < toolset.gates.length && (
        <label class="check">
          <input
            type="checkbox"
            checked={choice.allGates}
            onChange={(event) => choice.setAllGates(event.currentTarget.checked)}
          />
          All {toolset.gates.length} gates
        </label>
      )}
      <Notices notices={toolset.notices} />
      <CopyButton text={link} what="a link to this view" words="Link" />
      <WorldButton query={toSceneFields(address.scene).toString()} />
    </div>
  );
}

/** The current tools, and as they would be in the scene that is asked about. */
function useAskedScene(scene: SceneChoice, fields: string) {
  const { announce } = useConnection();
  const asks = isWhatIf(scene);
  const client = scene.client === "" ? "" : `?${new URLSearchParams({ client: scene.client })}`;
  const base = useResource<ToolsetView>(`toolset${client}`, ["toolset"]);
  const other = useResource<WhatIf>(asks ? `what-if?${fields}` : null, ["toolset"]);
  const isRefused = asks && other.failure !== null;
  // If there is no answer, the grid stays as it is, with the reason.
  const answered = asks && !isRefused ? other.value : null;
  useEffect(() => {
    if (answered === null) return;
    announce(`What if: ${formatNumber(answered.changes.length, "tool changes", "tools change")}`);
  }, [answered, announce]);
  return { asks, base: base.value, note: isRefused ? other : base, answered };
}

function OrderField({ order, set }: { readonly order: Order; set(order: Order): void }) {
  const choose = (text: string) => set(ORDERS.find((known) => known === text) ?? "payload");
  return (
    <label class="row">
      <span class="dim fine">Order</span>
      <select value={order} onChange={(event) => choose(event.currentTarget.value)}>
        {ORDERS.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
