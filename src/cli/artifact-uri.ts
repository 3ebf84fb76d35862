/** A file as SARIF names it: by a URI, in which no name may begin a query or a fragment. */
export function artifactURI(file: string): string {
  if (file === '-') return 'stdin'
  return encodeURI(file.replaceAll('\\', '/')).replaceAll('?', '%3F').replaceAll('#', '%23')
}
