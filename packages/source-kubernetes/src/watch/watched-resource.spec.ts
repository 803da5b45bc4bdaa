import { expect, test } from '@jest/globals';
import { CILIUM_SLICE_WEIGHT_ANNOTATION, readEndpointSlice, readNode, readService } from '@kube-proxier/core';
import { feedResolver, makeResolver, makeSlice, Random, RandomCluster } from '@kube-proxier/core/testing';
import { ENDPOINT_SLICES, ownNode, SERVICES, type WatchedResource } from './watched-resource.js';

/** The object as it comes out of the cache. */
function retained({ shape }: WatchedResource, object: object): unknown {
  const kept = shape.take(JSON.parse(JSON.stringify(object)));
  return shape.unpack(JSON.parse(JSON.stringify(shape.pack(kept))));
}

test.each(Array.from({ length: 20 }, (_, index) => index + 1))(
  'core reads the same of an object and of its retained part: random cluster %i',
  (seed) => {
    const cluster = new RandomCluster(new Random(seed));
    for (let step = 0; step < 50; step += 1) {
      cluster.step(feedResolver(makeResolver()));
    }
    for (const service of cluster.services.values()) {
      expect(readService(retained(SERVICES, service))).toEqual(readService(service));
    }
    for (const slice of cluster.slices.values()) {
      expect(readEndpointSlice(retained(ENDPOINT_SLICES, slice))).toEqual(readEndpointSlice(slice));
    }
    expect(readNode(retained(ownNode('node1'), cluster.node))).toEqual(readNode(cluster.node));
  },
);

test('the weight of a slice by the annotation of Cilium is retained', () => {
  const slice = makeSlice('ns/web', ['10.0.0.1'], { annotations: { [CILIUM_SLICE_WEIGHT_ANNOTATION]: '7' } });
  const { definition } = readEndpointSlice(retained(ENDPOINT_SLICES, slice));
  expect(definition?.endpoints.map(({ weight }) => weight)).toEqual([7]);
});
