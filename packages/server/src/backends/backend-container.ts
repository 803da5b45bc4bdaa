import { type BackendModule, type Logger, systemClock, Tokens } from '@kube-proxier/core';
import { Container } from 'inversify';

/** A container with a backend's module, for its bindings other than proxiers. */
export function containerOf(module: BackendModule['module'], logger: Logger): Container {
  const container = new Container();
  container.bind(Tokens.Logger).toConstantValue(logger);
  container.bind(Tokens.Clock).toConstantValue(systemClock);
  container.load(module);
  return container;
}
