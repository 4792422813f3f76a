import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../../src/config/load.ts'
import { GoTemplates } from '../support/deploy/go-template.ts'
import { guarded, routesOf } from '../support/security/guarded.ts'
import { CHART, type Manifest, rendered } from './chart.ts'

const read = (name: string) => readFile(join(CHART, name), 'utf8')
const schema = new Ajv({ allowUnionTypes: true }).compile(JSON.parse(await read('values.schema.json')))
const own = parse(await read('values.yaml')) as Record<string, Record<string, unknown>>

const EVERYTHING = {
  host: 'bridge.example.com',
  secrets: {
    twilioAuthToken: { name: 'twilio', key: 'token' },
    controlKeys: { name: 'keys' },
    discordToken: { name: 'discord' },
  },
  ingress: { enabled: true, className: 'nginx' },
  persistence: { enabled: true, existingClaim: 'kept' },
  serviceMonitor: { enabled: true, secret: { name: 'scrape' }, labels: { release: 'prometheus' } },
  imagePullSecrets: [{ name: 'pull' }],
  podLabels: { team: 'voice' },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
}

interface Container {
  readonly args: string[]
  readonly env: { name: string; value: string }[]
  readonly volumeMounts: { name: string; mountPath: string }[]
  readonly securityContext: object
  readonly livenessProbe: { httpGet: object }
  readonly readinessProbe: { httpGet: object; periodSeconds: number }
}
interface Pod {
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: object
  readonly containers: [Container]
  readonly volumes: Record<string, { name: string }>[]
}

function find(manifests: readonly Manifest[], kind: string, name = 'line-dragoman'): Manifest {
  const found = manifests.find(each => each.kind === kind && each.metadata.name === name)
  if (!found) throw new Error(`no ${kind} ${name}`)
  return found
}

function podOf(manifest: Manifest): Pod {
  return (manifest.spec.template as { spec: Pod }).spec
}

describe('the chart', () => {
  test('has valid default values, and its schema reports invalid ones', () => {
    expect(schema(own), JSON.stringify(schema.errors)).toBe(true)
    for (const wrong of [
      { replicas: -1 },
      { host: 'https://bridge.example.com' },
      { config: { drain: { seconds: 1 } } },
      { unknown: 1 },
      { serviceMonitor: { interval: 'often' } },
      { ingress: { paths: ['metrics'] } },
      { networkPolicy: { enabled: 'yes' } },
    ])
      expect(schema({ ...own, ...wrong }), JSON.stringify(wrong)).toBe(false)
  })

  test('is rendered to consistent manifests with its own values', async () => {
    const manifests = await rendered()
    expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
      'ConfigMap line-dragoman',
      'Deployment line-dragoman',
      'Deployment line-dragoman-engines',
      'NetworkPolicy line-dragoman',
      'NetworkPolicy line-dragoman-engines',
      'PodDisruptionBudget line-dragoman',
      'Service line-dragoman',
      'Service line-dragoman-engines',
      'ServiceAccount line-dragoman',
    ])
  })

  test('grants calls the time to end, and probes health and readiness', async () => {
    const pod = podOf(find(await rendered({ drainSeconds: 900 }), 'Deployment'))
    expect(pod.terminationGracePeriodSeconds).toBe(960)
    const [bridge] = pod.containers
    expect(bridge.livenessProbe.httpGet).toEqual({ path: '/live', port: 'http' })
    expect(bridge.readinessProbe).toMatchObject({
      httpGet: { path: '/ready', port: 'http' },
      periodSeconds: 1,
    })
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(bridge.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  test('writes settings that the bridge accepts, with secrets from mounted files', async () => {
    const manifests = await rendered(EVERYTHING)
    const pod = podOf(find(manifests, 'Deployment'))
    const { env, volumeMounts } = pod.containers[0]
    const settings = parse(find(manifests, 'ConfigMap').data?.['dragoman.yaml'] ?? '')
    expect(settings).toEqual({ ...own.config, drain: { seconds: 600 } })
    expect(env.filter(({ name }) => name.endsWith('_FILE')).map(({ name }) => name)).toEqual([
      'DRAGOMAN_SERVICE_API_KEY_FILE',
      'DRAGOMAN_TWILIO_AUTH_TOKEN_FILE',
      'DRAGOMAN_CONTROL_KEYS_FILE',
      'DRAGOMAN_DISCORD_TOKEN_FILE',
    ])
    // The variables are settings: anything else would be rejected.
    const values = Object.fromEntries(
      env.map(({ name, value }) =>
        name.endsWith('_FILE') ? [name.slice(0, -5), secretFor(name)] : [name, value],
      ),
    )
    const config = loadConfig({ env: values, overrides: settings, starts: 'bridge' })
    expect(config.publicUrl).toBe('https://bridge.example.com')
    expect(config.service.url).toBe('http://line-dragoman-engines:8090')
    const mounted = volumeMounts.find(({ name }) => name === 'secrets')?.mountPath
    const sources = JSON.stringify(pod.volumes.find(({ name }) => String(name) === 'secrets'))
    for (const { name, value } of env) {
      if (!name.endsWith('_FILE')) continue
      expect(value.startsWith(`${mounted}/`), value).toBe(true)
      expect(sources).toContain(`"path":"${value.slice(value.lastIndexOf('/') + 1)}"`)
    }
    expect(sources).toContain('"items":[{"key":"token","path":"twilio-auth-token"}]')
  })

  test('lets services, budget and monitor find their pods', async () => {
    const manifests = await rendered(EVERYTHING)
    for (const name of ['line-dragoman', 'line-dragoman-engines']) {
      const { template, selector } = find(manifests, 'Deployment', name).spec as {
        template: { metadata: { labels: object } }
        selector: { matchLabels: object }
      }
      expect(template.metadata.labels).toMatchObject(selector.matchLabels)
      expect(template.metadata.labels).toMatchObject(find(manifests, 'Service', name).spec.selector as object)
    }
    const monitor = find(manifests, 'ServiceMonitor').spec as { selector: { matchLabels: object } }
    const { matchLabels } = monitor.selector
    expect(JSON.stringify(monitor)).toContain('"credentials":{"name":"scrape","key":"metrics-key"}')
    expect(find(manifests, 'Service').metadata.labels).toMatchObject(matchLabels)
    expect(find(manifests, 'Service', 'line-dragoman-engines').metadata.labels).not.toMatchObject(matchLabels)
    expect(find(manifests, 'Ingress').spec).toMatchObject({ tls: [{ hosts: ['bridge.example.com'] }] })
  })

  test('works with an external service, and names missing values', async () => {
    const values = { engines: { enabled: false }, secrets: { serviceApiKey: { name: 'theirs' } } }
    const manifests = await rendered(values)
    expect(manifests.filter(({ metadata }) => metadata.name.endsWith('engines'))).toEqual([])
    expect(JSON.stringify(manifests)).toContain('"name":"theirs","items":[{"key":"service-api-key"')
    await expect(rendered({ ingress: { enabled: true } })).rejects.toThrow('the name by which Twilio reaches')
    await expect(rendered({ serviceMonitor: { enabled: true } })).rejects.toThrow('one of the control keys')
    await expect(rendered({ persistence: { enabled: true } })).rejects.toThrow('names the claim')
  })

  test('S-11: lets only the bridge reach the engines, and the engines nothing', async () => {
    const manifests = await rendered({ networkPolicy: { bridgeFrom: [{ namespaceSelector: {} }] } })
    const engines = find(manifests, 'NetworkPolicy', 'line-dragoman-engines').spec
    const bridge = find(manifests, 'NetworkPolicy').spec
    const labels = (name: string) =>
      (find(manifests, 'Deployment', name).spec.selector as { matchLabels: object }).matchLabels
    expect(engines).toEqual({
      podSelector: { matchLabels: labels('line-dragoman-engines') },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        {
          ports: [{ port: 'http', protocol: 'TCP' }],
          from: [{ podSelector: { matchLabels: labels('line-dragoman') } }],
        },
      ],
      egress: [],
    })
    expect(bridge).toEqual({
      podSelector: { matchLabels: labels('line-dragoman') },
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ port: 'http', protocol: 'TCP' }], from: [{ namespaceSelector: {} }] }],
    })
    const off = await rendered({ networkPolicy: { enabled: false } })
    expect(off.filter(({ kind }) => kind === 'NetworkPolicy')).toEqual([])
    for (const name of ['line-dragoman', 'line-dragoman-engines'])
      expect(JSON.stringify(podOf(find(manifests, 'Deployment', name)))).toMatch(/"limits":\{"memory":/)
  })

  test('S-11: exposes all routes of the bridge except those of supervisors and Prometheus', async () => {
    const ingress = find(await rendered(EVERYTHING), 'Ingress').spec as {
      rules: { http: { paths: { path: string; pathType: string }[] } }[]
    }
    const shown = ingress.rules[0]!.http.paths
    const reached = (url: string) =>
      shown.some(({ path, pathType }) =>
        pathType === 'Exact' ? url === path : url === path || url.startsWith(`${path}/`),
      )
    const urls = Array.from(new Set(routesOf(await guarded()).map(route => route.replace(/^\w+ /, ''))))
    expect(urls.length).toBeGreaterThan(30)
    const inside = urls.filter(url => !reached(url)).sort()
    expect(inside).toEqual(['/health', '/live', '/metrics', '/ready'])
  })

  test('uses only what the renderer supports', () => {
    const templates = new GoTemplates()
    templates.add('x', '{{ lookup "v1" }}')
    expect(() => templates.render('x', {})).toThrow('lookup')
  })
})

function secretFor(variable: string): string {
  const keys = JSON.stringify([{ name: 'desk', key: 'a-key-that-nobody-would-guess' }])
  return variable.includes('CONTROL') ? keys : '0123456789abcdef0123456789abcdef'
}
