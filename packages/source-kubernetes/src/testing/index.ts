export type { ApiRequestInfo, RequestFault, WatchFault } from './api-faults.js';
export type { ApiObject } from './api-object.js';
export { ApiObjectStore, type StoreChange, type StoreSnapshot } from './api-object-store.js';
export {
  ADMINISTRATOR_TOKEN,
  ApiServerProcess,
  type ApiServerProcessOptions,
  type ApiServerPrograms,
  type ApiServerRequest,
  type ApiServerResponse,
  apiServerPrograms,
  freePort,
  sendApiRequest,
  type TokenRequest,
} from './api-server-process.js';
export {
  type ExecOutcome,
  type ExecRequest,
  FakeApiServer,
  type FakeApiServerOptions,
  type ReviewedUser,
} from './fake-api-server.js';
export { FastClock } from './fast-clock.js';
export { type RecordedEvent, RecordingHandler } from './recording-handler.js';
export { type TestCertificate, TestCertificateAuthority, type TestCertificateRequest } from './test-certificates.js';
