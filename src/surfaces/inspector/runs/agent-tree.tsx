import type { RunAgent } from "../../http/api/api.ts";
import { formatCount, formatDuration } from "../parts/format.ts";
import { toOneLine } from "../parts/reveal-text.ts";
import { ShownText } from "../parts/shown-text.tsx";
import { Badge } from "../parts/status.tsx";
import { AGENT_WORDS, formatCost } from "./run-words.ts";

interface AgentTreeProps {
  readonly agents: readonly RunAgent[];
  readonly selected: string | null;
  select(agent: string | null): void;
  readonly now: number;
}

/** Who works for whom; choosing one shows what it does. */
export function AgentTree({ agents, selected, select, now }: AgentTreeProps) {
  const below = (parent: string | null) => agents.filter((agent) => agent.id !== null && agent.parent === parent);
  const own = agents.find(({ id }) => id === null);
  const branch = (agent: RunAgent) => (
    <li key={agent.id ?? ""}>
      <Agent agent={agent} isSelected={agent.id === selected} select={() => select(agent.id)} now={now} />
      {below(agent.id).length > 0 && <ul>{below(agent.id).map(branch)}</ul>}
    </li>
  );
  return (
    <nav class="agent-tree sheet" aria-label="Agents">
      <ul>{own !== undefined && branch(own)}</ul>
    </nav>
  );
}

interface AgentProps {
  readonly agent: RunAgent;
  readonly isSelected: boolean;
  select(): void;
  readonly now: number;
}

function Agent({ agent, isSelected, select, now }: AgentProps) {
  const { id, name, description, state, mode, team, started, ended, error, used } = agent;
  const [tone, icon, words] = AGENT_WORDS[state];
  const about = [
    mode === "background" ? "in the background" : "",
    team === null ? "" : `team ${toOneLine(team)}`,
    `${formatCount(used.input + used.output)} tokens`,
    formatCost(used.cost),
    id === null ? "" : formatDuration((ended ?? now) - started),
  ];
  return (
    <button type="button" class="agent quiet" aria-pressed={isSelected} onClick={select}>
      <span class="row tight">
        <ShownText in="strong" class="cut" text={id ?? name} />
        <Badge tone={tone} icon={icon} text={words} />
      </span>
      {description !== "" && <ShownText in="span" class="cut" text={description} />}
      {error !== null && <ShownText in="span" class="cut" text={error} />}
      <span class="dim fine">{about.filter((part) => part !== "").join(" · ")}</span>
    </button>
  );
}
