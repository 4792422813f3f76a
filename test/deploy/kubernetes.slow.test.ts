import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { loadConfig } from '../../src/app/settings/load.ts'
import { guarded, routesOf, TOKEN } from '../support/security/guarded.ts'

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: Record<string, unknown>
  readonly data?: Readonly<Record<string, string>>
}
interface Container {
  readonly args: string[]
  readonly env: { name: string; value: string }[]
  readonly ports: { name: string; containerPort: number }[]
  readonly volumeMounts: { name: string; mountPath: string }[]
}
interface Pod {
  readonly terminationGracePeriodSeconds: number
  readonly containers: [Container]
  readonly volumes: { name: string; secret?: { secretName: string } }[]
}

const text = await readFile(new URL('../../deploy/kubernetes/dragoman.yaml', import.meta.url), 'utf8')
const documents = parseAllDocuments(text)
const manifests = documents.map(document => document.toJS() as Manifest)

function specOf<T>(kind: string): T {
  const found = manifests.find(each => each.kind === kind)
  if (!found) throw new Error(`no ${kind}`)
  return found.spec as T
}

const deployment = specOf<{
  selector: { matchLabels: object }
  template: { metadata: { labels: object }; spec: Pod }
}>('Deployment')
const pod = deployment.template.spec
const [bridge] = pod.containers
const settings = parse(manifests.find(({ kind }) => kind === 'ConfigMap')?.data?.['dragoman.yaml'] ?? '')

test('the manifest is valid YAML, and its parts refer to each other', () => {
  expect(documents.flatMap(({ errors }) => errors)).toEqual([])
  expect(deployment.template.metadata.labels).toEqual(deployment.selector.matchLabels)
  expect(specOf<{ selector: object }>('Service').selector).toEqual(deployment.selector.matchLabels)
  expect(bridge.volumeMounts.map(({ name }) => name).sort()).toEqual(
    pod.volumes.map(({ name }) => name).sort(),
  )
  expect(bridge.ports).toEqual([{ name: 'http', containerPort: loadConfig().port }])
})

test('writes settings that the bridge accepts, with secrets from mounted files', () => {
  const env = Object.fromEntries(
    bridge.env.map(({ name, value }) => {
      expect(value).toMatch(/^\/run\/secrets\/dragoman\/[a-z-]+$/)
      return [name.replace(/_FILE$/, ''), TOKEN]
    }),
  )
  const config = loadConfig({ env, overrides: settings, starts: 'bridge' })
  expect(config.twilio.authToken).toEqual([TOKEN])
  expect(pod.terminationGracePeriodSeconds).toBe(config.drain.seconds + 60)
  const ingress = specOf<{ rules: { host: string }[] }>('Ingress')
  expect(config.publicUrl).toBe(`https://${ingress.rules[0]?.host}`)
})

test('runs without privileges, within limits, and mounts secrets for its group only', () => {
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  })
  expect(bridge).toMatchObject({
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    resources: { limits: { memory: expect.any(String) } },
  })
  expect(text).toContain('secretName: dragoman, defaultMode: 0440')
})

test('exposes all routes of the bridge except those of supervisors and Prometheus', async () => {
  const ingress = specOf<{ rules: { http: { paths: { path: string; pathType: string }[] } }[] }>('Ingress')
  const paths = ingress.rules[0]?.http.paths ?? []
  const reached = (url: string) =>
    paths.some(({ path, pathType }) => url === path || (pathType === 'Prefix' && url.startsWith(`${path}/`)))
  const urls = new Set(routesOf(await guarded()).map(route => route.replace(/^\w+ /, '')))
  expect(urls.size).toBeGreaterThan(30)
  expect([...urls].filter(url => !reached(url)).sort()).toEqual(['/health', '/live', '/metrics', '/ready'])
  const probed = ['/live', '/ready']
  for (const path of probed) expect(text).toContain(`httpGet: { path: ${path}, port: http }`)
})
