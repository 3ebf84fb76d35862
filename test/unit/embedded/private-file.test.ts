import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createApiServer, serve } from '../../../src/embedded/apiserver/index.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { writePrivateFile } from '../../../src/embedded/private-file.ts'
import { SeededRandom } from '../../../src/embedded/random.ts'

const folder = mkdtempSync(join(tmpdir(), 'joinery-private-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function standing(path: string): string {
  const found = lstatSync(path)
  return `${found.isFile() ? 'file' : 'other'} ${(found.mode & 0o777).toString(8)}`
}

describe('a private file is a file of its own, for its owner only', () => {
  test('where nothing is', async () => {
    const path = join(folder, 'new')
    await writePrivateFile(path, 'secret')
    expect([standing(path), readFileSync(path, 'utf8')]).toEqual(['file 600', 'secret'])
  })

  test('where somebody has put a file that all may read', async () => {
    const path = join(folder, 'prepared')
    writeFileSync(path, 'old')
    chmodSync(path, 0o666)
    const before = lstatSync(path).ino
    await writePrivateFile(path, 'secret')
    expect([standing(path), readFileSync(path, 'utf8')]).toEqual(['file 600', 'secret'])
    expect(lstatSync(path).ino).not.toBe(before)
  })

  test('where somebody has put a link, whose target stays as it is', async () => {
    const [target, path] = [join(folder, 'target'), join(folder, 'link')]
    writeFileSync(target, 'theirs')
    symlinkSync(target, path)
    await writePrivateFile(path, 'secret')
    expect([standing(path), readFileSync(path, 'utf8')]).toEqual(['file 600', 'secret'])
    expect(readFileSync(target, 'utf8')).toBe('theirs')
  })

  test('and none where it cannot be: nothing is left beside', async () => {
    const path = join(folder, 'taken')
    await mkdir(join(path, 'inner'), { recursive: true })
    await expect(writePrivateFile(path, 'secret')).rejects.toThrow()
    expect(readdirSync(folder).filter((name) => name.startsWith('taken'))).toEqual(['taken'])
  })
})

test('the kubeconfig of a served cluster is one', async () => {
  const [target, path] = [join(folder, 'elsewhere'), join(folder, 'kubeconfig')]
  writeFileSync(target, '')
  chmodSync(target, 0o666)
  symlinkSync(target, path)
  const server = createApiServer({ clock: new VirtualClock(), random: new SeededRandom(1) })
  const running = await serve({ server, kubeconfigPath: path })
  await running.close()
  expect([standing(path), readFileSync(path, 'utf8'), readFileSync(target, 'utf8')]).toEqual([
    'file 600',
    running.kubeconfig,
    '',
  ])
})
