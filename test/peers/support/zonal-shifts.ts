interface Shift {
  readonly awayFrom: string
  readonly expiryTime: string
  readonly appliedStatus: 'APPLIED' | 'NOT_APPLIED'
}

/** Makes the ARN a managed resource of moto's ARC, with these shifts and no others. */
export async function shiftZones(endpoint: string, resource: string, shifts: readonly Shift[]): Promise<void> {
  const answer = await fetch(`${endpoint}/moto-api/zonal-shifts`, {
    method: 'PUT',
    body: JSON.stringify({ resource, shifts }),
  })
  if (!answer.ok) throw new Error(`moto's ARC answers ${answer.status}`)
}
