/** What `toolcrib/testing` offers to those who write sources of their own. */
export type { ToolResult } from "../../core/call/tool-result.ts";
export type { Tool } from "../../core/tool/tool.ts";
export type { Progress, RunContext, Source, SourceState, SourceStatus } from "../source.ts";
export {
  type ContractCall,
  type ContractCheck,
  type SourceContract,
  type SourceSubject,
  sourceContract,
} from "./source-contract.ts";
