// iptables
export { FakeIptables, type FakeIptablesOptions } from './fake-iptables.js';
