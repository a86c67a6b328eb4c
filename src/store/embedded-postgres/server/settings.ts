import type { Layout } from '../layout.js'

/**
 * How our server runs. These travel as arguments and not in postgresql.conf, so that a new version of ours changes
 * them for clusters made by an old one.
 */
const settings = {
  // Nobody but this machine's owner of the data folder reaches it.
  listen_addresses: '',
  unix_socket_permissions: '0700',

  // Credits live here: a commit that was answered is on the disk.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',

  // A small footprint; nobody replicates from an embedded server, and its queries are short.
  max_connections: '250',
  shared_buffers: '64MB',
  huge_pages: 'off',
  io_method: 'sync',
  jit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  min_wal_size: '32MB',
  max_wal_size: '512MB',

  // What a failed statement says may quote a caller's words, so only its client hears it; the log is about the server.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
  log_timezone: 'UTC',
  timezone: 'UTC',
  lc_messages: 'C',
  cluster_name: 'tessera',
}

export const serverArguments = ({ cluster, socketDirectory, connection }: Layout): string[] => {
  const all = { ...settings, port: connection.port, unix_socket_directories: quoteListItem(socketDirectory) }
  return ['-D', cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

// The setting is a comma-separated list, and a folder's name may hold a comma or a space.
const quoteListItem = (item: string) => `"${item.replaceAll('"', '""')}"`
