import { afterAll, beforeAll, expect, test } from 'vitest'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isConditionTrue } from '../../../src/api/conditions.ts'
import { nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import { deployments } from '../../../src/kube/kinds.ts'
import { documentedBlocks } from '../support/documented-steps.ts'
import { eventually } from '../support/eventually.ts'
import { reportFailures } from '../support/failure-report.ts'
import { accountIsClean } from '../support/fleet.ts'
import { buildImage, type Image } from '../support/image.ts'
import { describeWithPeers } from '../support/peers.ts'
import { idleProgram, startUserWorld, type UserWorld } from '../support/user-world.ts'

const root = join(import.meta.dirname, '../../..')

await describeWithPeers(
  'the image that the Containerfile describes, built by buildah and run by podman',
  ['image-builder', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'moto', 'helm'],
  () => {
    let image: Image
    let ci: Image
    let world: UserWorld | undefined
    beforeAll(async () => {
      image = await buildImage({ commit: '1234567' })
      ci = await buildImage({ target: 'ci', commit: '1234567' })
    })
    afterAll(async () => {
      await world?.stop()
      await image?.remove()
      await ci?.remove()
    })
    reportFailures(async () => `${await world?.kubelet.logs()}${await world?.controlPlane.logs(10)}`)

    test('says which commit it was built of', async () => {
      expect(await image.run(['version'])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^joinery \d\S+, commit 1234567 /),
      })
    })

    test('judges manifests that it is given, and brings its own along', async () => {
      const input = readFileSync(join(root, 'manifests/examples/nodepool.yaml'), 'utf8')
      expect(await image.run(['validate', '-'], { input })).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(' 0 refused'),
      })
      const refused = await image.run(['validate', '-'], {
        input: input.replace('karpenter.sh/v1', 'karpenter.sh/v1beta1'),
      })
      expect(refused.code).toBe(1)
      expect((await image.run(['validate', 'manifests/examples'])).stdout).toContain(' 0 refused')
    })

    test('runs as nobody, who can write nothing but temporary files, and has no shell', async () => {
      const script = `const { writeFileSync } = require('node:fs')
        const errorOf = (path) => { try { writeFileSync(path, ''); return 'written' } catch ({ code }) { return code } }
        const status = require('node:fs').readFileSync('/proc/self/status', 'utf8')
        const limits = status.match(/(?:CapBnd|NoNewPrivs).*/g).map((line) => line.split('\\t').join(' '))
        console.log(process.getuid(), process.getgid(), errorOf('/app/x'), errorOf('/tmp/x'), ...limits)`
      const told = await image.run(['--eval', script], { entrypoint: '/nodejs/bin/node' })
      expect(told.stdout.trim()).toBe('65532 65532 EROFS written CapBnd: 0000000000000000 NoNewPrivs: 1')
      expect((await image.run(['-c', 'true'], { entrypoint: '/bin/sh' })).code).toBe(127)
    })

    test('has a second one for pipelines, with a shell that finds the command', async () => {
      const input = 'joinery version && cd /app && joinery validate manifests/examples'
      const told = await ci.run(['sh', '-e'], { input })
      expect(told).toMatchObject({ code: 0, stdout: expect.stringMatching(/^joinery .* commit 1234567 .* 0 refused/s) })
    })

    test('is all that README needs on a cluster: operator and webhook work in its containers', async () => {
      const { program } = image
      world = await startUserWorld((name) => (name.startsWith('joinery:') ? program : idleProgram))
      const [install = '', remove = ''] = await documentedBlocks('On EKS')
      expect(await world.shell.type(install)).toContain('deployment "inflate" successfully rolled out')
      const claims = (await world.kube.list(nodeClaims)).items
      expect(claims.length).toBeGreaterThan(0)
      expect(claims.every((claim) => isConditionTrue(claim, 'Registered'))).toBe(true)
      for (const name of ['joinery', 'joinery-webhook']) {
        const { status } = await world.kube.get(deployments, { namespace: 'kube-system', name })
        expect(status).toMatchObject({ readyReplicas: 2 })
      }
      const spec = '{"spec":{"disruption":{"budgets":[{"nodes":"1","schedule":"61 * * * *","duration":"1h"}]}}}'
      const typed = await world.shell.tryTyping(`kubectl patch nodepool default --type=merge --patch='${spec}'`)
      expect(typed).toMatchObject({ code: 1, stderr: expect.stringContaining('denied the request') })
      // A container's first process gets no signal that it does not ask for.
      await world.shell.type(`kubectl -n kube-system rollout restart deployment/joinery
kubectl -n kube-system rollout status deployment/joinery --timeout=3m`)
      const { output } = world.kubelet
      await eventually('both of the old ones have stopped in order, and the lease has gone over', async () => {
        const lines = (await output('joinery')).split('\n')
        const stopped = lines.filter((line) => line.includes('"stopping"') && line.includes('"reason":"stopped"'))
        return stopped.length >= 2 && lines.filter((line) => line.includes('successfully acquired lease')).length >= 2
      })
      await world.shell.type(remove)
      await accountIsClean(world.account)
    })
  },
)
