/** An object as etcd keeps it for the API server. */
export interface StoredObject {
  /** `/registry/pods/default/app`. */
  readonly key: string
  readonly value: object
}

/** Objects in one transaction; etcd takes up to 128, and a megabyte and a half. */
const batchSize = 100

/** Puts objects past the API server, a hundred at a time; `tell` hears how many are there. They have to be whole: nobody defaults or checks. */
export async function storeObjects(
  port: number,
  objects: readonly StoredObject[],
  tell: (stored: number) => void,
): Promise<void> {
  for (let start = 0; start < objects.length; start += batchSize) {
    const success = objects
      .slice(start, start + batchSize)
      .map(({ key, value }) => ({ requestPut: { key: encode(key), value: encode(JSON.stringify(value)) } }))
    await call(port, 'txn', { success })
    tell(Math.min(start + batchSize, objects.length))
  }
}

/** Forgets all history but the present, and returns the revision kept. */
export async function compactHistory(port: number): Promise<string> {
  // Any read tells the revision; this is the key of one zero byte.
  const { header } = (await call(port, 'range', { key: 'AA==' })) as { header: { revision: string } }
  await call(port, 'compaction', { revision: header.revision, physical: true })
  return header.revision
}

async function call(port: number, method: string, body: object): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}/v3/kv/${method}`, { method: 'POST', body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`etcd ${method}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64')
}
