export { BackendProcess } from './backend/backend-process.js';
export type { BackendChoice, BackendDescription } from './backend/messages.js';
export * from './cases/conformance-case.js';
export { readCaseFile, readCaseFiles, readCases } from './cases/read-cases.js';
export { QUICK, selectCases } from './cases/select-cases.js';
export { ConformanceError, type ConformanceErrorCode } from './conformance-error.js';
export { commandFor, formatFailure } from './report/format-failure.js';
export { formatLacks, formatReport, REPORT_FORMATS, type ReportFormat } from './report/format-report.js';
export type { CaseFailure, CaseResult, LeftOut } from './run/case-result.js';
export {
  type ConformanceOptions,
  type ConformanceReport,
  type KeptFixture,
  runConformance,
  tally,
} from './run/run-conformance.js';
