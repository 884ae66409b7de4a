/** What `toolcrib/testing` offers to those who write sources or stores of their own. */
export type { ToolResult } from "./core/call/tool-result.ts";
export type { Tool } from "./core/tool/tool.ts";
export {
  type StoreContract,
  type StoreSubject,
  storeContract,
} from "./runtime/store/contract-suite/store-contract.ts";
export type { LeaseTimes } from "./runtime/store/lease.ts";
export type { Store } from "./runtime/store/store.ts";
export {
  type ContractCall,
  type ContractCheck,
  type SourceContract,
  type SourceSubject,
  sourceContract,
} from "./sources/contract-suite/source-contract.ts";
export type { Progress, RunContext, Source, SourceState, SourceStatus } from "./sources/source.ts";
