import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../../src/config/load.ts'
import { nodeName } from '../../src/fleet/members.ts'
import { CHART, type Manifest, rendered } from './chart.ts'
import { programOf } from './proxy.ts'
import { Router } from './router.ts'

const FLEET = {
  ...{ host: 'bridge.example.com', replicas: 3, ingress: { enabled: true } },
  secrets: { twilioAuthToken: { name: 'twilio' } },
  fleet: { enabled: true, nats: { ca: { name: 'nats-ca' } } },
}

interface Pod {
  readonly terminationGracePeriodSeconds: number
  readonly containers: readonly [
    {
      env: { name: string; value?: string; valueFrom?: { fieldRef: { fieldPath: string } } }[]
      command?: string[]
    },
  ]
}

const manifests = await rendered(FLEET)
function find(kind: string, name: string): Manifest {
  const found = manifests.find(each => each.kind === kind && each.metadata.name === name)
  return found ?? expect.fail(`no ${kind} ${name}`)
}
const podOf = ({ spec }: Manifest) =>
  spec.template as { metadata: { labels: Record<string, string> }; spec: Pod }

/** The router’s nginx.conf. */
const router = find('ConfigMap', 'line-dragoman-router').data?.['router.conf'] ?? ''

describe('the chart with a fleet', () => {
  test('has valid values, and a StatefulSet with a router instead of a Deployment', async () => {
    const schema = new Ajv({ allowUnionTypes: true }).compile(
      JSON.parse(await readFile(`${CHART}values.schema.json`, 'utf8')),
    )
    const own = parse(await readFile(`${CHART}values.yaml`, 'utf8'))
    expect(schema({ ...own, fleet: { ...own.fleet, ...FLEET.fleet } }), JSON.stringify(schema.errors)).toBe(
      false,
    )
    expect(schema({ ...own, fleet: { ...own.fleet, enabled: true } }), JSON.stringify(schema.errors)).toBe(
      true,
    )
    expect(schema({ ...own, config: { fleet: {} } })).toBe(false)
    expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
      'ConfigMap line-dragoman',
      'ConfigMap line-dragoman-router',
      'Deployment line-dragoman-engines',
      'Deployment line-dragoman-router',
      'Ingress line-dragoman',
      'NetworkPolicy line-dragoman',
      'NetworkPolicy line-dragoman-engines',
      'PodDisruptionBudget line-dragoman',
      'Service line-dragoman',
      'Service line-dragoman-engines',
      'Service line-dragoman-nodes',
      'Service line-dragoman-ready',
      'Service line-dragoman-router',
      'ServiceAccount line-dragoman',
      'StatefulSet line-dragoman',
    ])
  })

  test('gives each pod valid settings, with its own name and address', () => {
    const set = find('StatefulSet', 'line-dragoman')
    const pod = podOf(set).spec
    expect([set.spec.replicas, set.spec.serviceName]).toEqual([3, 'line-dragoman-nodes'])
    expect(pod.terminationGracePeriodSeconds).toBe(60)
    const fields: Record<string, string> = { 'metadata.name': 'line-dragoman-0', 'status.podIP': '10.1.2.3' }
    const env = Object.fromEntries(
      pod.containers[0].env.map(({ name, value, valueFrom }) =>
        name.endsWith('_FILE')
          ? [name.slice(0, -5), '0123456789abcdef0123456789abcdef']
          : [
              name,
              (value ?? fields[valueFrom?.fieldRef.fieldPath ?? ''] ?? '').replace('$(POD_IP)', '10.1.2.3'),
            ],
      ),
    )
    const { POD_IP: _, ...settings } = env
    const overrides = parse(find('ConfigMap', 'line-dragoman').data?.['dragoman.yaml'] ?? '')
    const config = loadConfig({ env: settings, overrides, starts: 'bridge' })
    expect(config.drain.seconds).toBe(0)
    expect(config.fleet).toMatchObject({
      ...{ node: 'line-dragoman-0', address: 'http://10.1.2.3:8080' },
      nats: { user: 'dragoman', replicas: 3, tls: { ca: '/run/secrets/dragoman/nats-ca' } },
    })
    const sources = JSON.stringify(pod)
    for (const path of ['fleet-key', 'nats-password', 'nats-ca'])
      expect(sources).toContain(`"path":"${path}"`)
  })

  test('limits the names of its pods to those of nodes', async () => {
    const long = await rendered({
      ...FLEET,
      fullnameOverride: 'an-interpreter-on-the-line-for-everybody-everywhere',
    })
    const name = long.find(({ kind }) => kind === 'StatefulSet')?.metadata.name
    expect(nodeName.safeParse(`${name}-999`).success, name).toBe(true)
    expect(JSON.stringify(long)).toContain(`(?<node>${name}-[0-9]+)`)
  })

  test('lets services find their pods, and the ingress the router', () => {
    const nodes = podOf(find('StatefulSet', 'line-dragoman')).metadata.labels
    for (const name of ['line-dragoman', 'line-dragoman-nodes', 'line-dragoman-ready'])
      expect(nodes).toMatchObject(find('Service', name).spec.selector as object)
    expect(find('Service', 'line-dragoman-nodes').spec).toMatchObject({
      ...{ clusterIP: 'None', publishNotReadyAddresses: true },
    })
    expect(find('Service', 'line-dragoman-ready').spec.publishNotReadyAddresses).toBeUndefined()
    const routers = podOf(find('Deployment', 'line-dragoman-router')).metadata.labels
    expect(routers).toMatchObject(find('Service', 'line-dragoman-router').spec.selector as object)
    expect(nodes).not.toMatchObject(find('Service', 'line-dragoman-router').spec.selector as object)
    const paths = JSON.stringify(find('Ingress', 'line-dragoman').spec)
    expect(paths).toContain('"path":"/n"')
    expect(new Set(paths.match(/"service":\{"name":"[^"]*"/g))).toEqual(
      new Set(['"service":{"name":"line-dragoman-router"']),
    )
  })

  test('lets nodes and router reach the nodes if others are restricted', async () => {
    const restricted = await rendered({
      ...FLEET,
      networkPolicy: { bridgeFrom: [{ namespaceSelector: {} }] },
    })
    const policy = restricted.find(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'line-dragoman',
    )
    const peers = JSON.stringify(policy?.spec.ingress)
    expect(peers).toContain('"namespaceSelector":{}')
    expect(Array.from(peers.matchAll(/component":"(\w+)"/g), ([, name]) => name)).toEqual([
      'bridge',
      'router',
    ])
  })

  test('has the router of deploy/nginx, with the names of the cluster', async () => {
    const own = await readFile(new URL('../../nginx/fleet-router.conf', `file://${CHART}`), 'utf8')
    const directives = (text: string) =>
      text
        .slice(text.indexOf('worker_processes'))
        .split('\n')
        .map(line => line.trim())
        .filter(line => line !== '' && !line.startsWith('#'))
        .map(line => line.replace(/^(resolver|set \$nodes|proxy_pass http:\/\/\$node\b).*/, '$1'))
        .map(line => line.replace(/\(\?<node>.*\)/, '(?<node>)'))
    expect(directives(router)).toEqual(directives(own))
    expect(router).toContain('http://$node.line-dragoman-nodes.voice.svc.cluster.local:8080;')
    expect(router).toContain('set $nodes line-dragoman-ready.voice.svc.cluster.local;')
  })

  test.skipIf(programOf('nginx') === undefined)(
    'routes to the named pod, and to another one if it has ended',
    async () => {
      const servers = [0, 1].map(at => createServer((_, reply) => reply.end(`line-dragoman-${at}`)))
      for (const server of servers) {
        server.listen(0, '127.0.0.1')
        await once(server, 'listening')
      }
      const [first = 0, second = 0] = servers.map(server => (server.address() as AddressInfo).port)
      const ports = { 'line-dragoman-0': first, 'line-dragoman-1': second, 'line-dragoman-2': 1 }
      await using proxy = await Router.start(router, ports)
      const ask = async (path: string, method = 'GET') => {
        const init = method === 'POST' ? { method, body: 'CallSid=CA1' } : { method }
        const answer = await fetch(`http://127.0.0.1:${proxy.port}${path}`, init)
        return answer.status === 200 ? answer.text() : answer.status
      }
      for (const [pod] of Object.entries(ports).slice(0, 2))
        expect(await ask(`/n/${pod}/twilio/resume`, 'POST')).toBe(pod)
      expect(await ask('/n/line-dragoman-2/twilio/resume', 'POST')).toMatch(/^line-dragoman-[01]$/)
      // Other names are paths of any node, which rejects them.
      expect(await ask('/n/line-dragoman-engines/')).toMatch(/^line-dragoman-[01]$/)
      expect([await ask('/metrics'), await ask('/n/line-dragoman-0/metrics')]).toEqual([404, 404])
      for (const server of servers) server.close()
    },
  )
})
