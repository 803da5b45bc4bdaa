import { isDeepStrictEqual } from 'node:util';
import type { EndpointSlice, Node, Service, SourceHandler } from '@kube-proxier/core';

/** One event, as text: `+ Service default/web`, `synced services`. */
export type RecordedEvent = string;

interface Named {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

/**
 * Records the events of a source, applies them to a set of objects, and records violations of the rules of `Source`.
 */
export class RecordingHandler implements SourceHandler {
  /** In order of arrival. */
  readonly events: RecordedEvent[] = [];
  /** By `namespace/name`. */
  readonly services = new Map<string, Service>();
  /** By `namespace/name`. */
  readonly slices = new Map<string, EndpointSlice>();
  node: Node | undefined;
  cidrs: readonly string[] | undefined;
  servicesSynced = 0;
  endpointsSynced = 0;
  /** Violated rules, as text. */
  readonly violations: string[] = [];

  onServiceUpdate(previous: Service | undefined, current: Service | undefined): void {
    this.#fold('Service', this.services, previous, current);
  }

  onEndpointsUpdate(previous: EndpointSlice | undefined, current: EndpointSlice | undefined): void {
    this.#fold('EndpointSlice', this.slices, previous, current);
  }

  onServicesSynced(): void {
    this.servicesSynced += 1;
    this.events.push('synced services');
  }

  onEndpointsSynced(): void {
    this.endpointsSynced += 1;
    this.events.push('synced endpoints');
  }

  onNodeUpdate(node: Node): void {
    this.node = node;
    this.events.push(`node ${node.metadata?.name}`);
  }

  onServiceCIDRsUpdate(cidrs: readonly string[]): void {
    this.cidrs = cidrs;
    this.events.push(`cidrs ${cidrs.join(',')}`);
  }

  #fold<T extends Named>(kind: string, view: Map<string, T>, previous: T | undefined, current: T | undefined): void {
    const { metadata } = current ?? previous ?? {};
    const key = `${metadata?.namespace}/${metadata?.name}`;
    const sign = previous ? (current ? '~' : '-') : '+';
    this.events.push(`${sign} ${kind} ${key}`);
    if (!isDeepStrictEqual(view.get(key), previous)) {
      this.violations.push(`${sign} ${kind} ${key}: previous differs from what was reported last`);
    }
    if (previous && current && JSON.stringify(previous) === JSON.stringify(current)) {
      this.violations.push(`${sign} ${kind} ${key}: nothing changed`);
    }
    if (current) {
      view.set(key, current);
    } else {
      view.delete(key);
    }
  }
}
