/**
 * SCTP associations (RFC 9260) of one network namespace, for `probe.mjs`. They do not need SCTP in the kernel, which
 * Node and many kernels do not have: a Perl program exchanges the packets through raw sockets. Perl, with everything that the
 * program uses, is in every Debian (package `perl-base`). Where the kernel's SCTP is in use, it would answer as well.
 *
 * The checksum (CRC32c) of each packet is computed by the sender and verified by the receiver. Nothing is sent again.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * Commands, one a line: `serve ADDRESS PORT NAME` (in JSON), `stop ADDRESS PORT`, `open ID TO PORT FROM FROMPORT` (`-`: any source
 * address), `send ID TEXT`, `shutdown ID`, `abort ID`. Events, one a line: `done ADDRESS PORT`, `error ADDRESS PORT ERRNO`,
 * and, after an ID, `data TEXT`, `closed`, `aborted`, `ERRNO`, `checksum`.
 */
const PROGRAM = String.raw`
use strict;
use warnings;
use Errno;
use Socket qw(:DEFAULT inet_pton inet_ntop pack_sockaddr_in6 unpack_sockaddr_in6);
$| = 1;

use constant { SCTP => 132, RECVERR => 11, RECVERR6 => 25, ERRQUEUE => 0x2000, DONTWAIT => 0x40 };
use constant { DATA => 0, INIT => 1, INIT_ACK => 2, SACK => 3, ABORT => 6, SHUTDOWN => 7, SHUTDOWN_ACK => 8 };
use constant { COOKIE_ECHO => 10, COOKIE_ACK => 11, SHUTDOWN_COMPLETE => 14, COOKIE => 7, WINDOW => 65536 };

# By file descriptor: { socket, address } of the servers' sockets, { socket, id, … } of clients.
my %sockets;
# Names of servers by address and port; their associations by address, port, and the same of the peer.
my (%names, %associations);
my %clients;

my @crc_table = map { my $crc = $_; $crc = $crc & 1 ? ($crc >> 1) ^ 0x82F63B78 : $crc >> 1 for 1 .. 8; $crc } 0 .. 255;

sub crc32c {
  my $crc = 0xFFFFFFFF;
  $crc = ($crc >> 8) ^ $crc_table[($crc ^ $_) & 255] for unpack 'C*', $_[0];
  return $crc ^ 0xFFFFFFFF;
}

sub random { return 1 + int rand 0xFFFFFFFE }

sub chunk {
  my ($type, $value, $flags) = @_;
  my $length = 4 + length $value;
  return pack('CCn', $type, $flags // 0, $length) . $value . "\0" x (-$length % 4);
}

sub data { my ($tsn, $text) = @_; return chunk(DATA, pack('NnnN', $tsn, 0, 0, 0) . $text, 3) }
sub sack { return chunk(SACK, pack('NNnn', $_[0], WINDOW, 0, 0)) }

sub errno_name {
  my $number = $_[0];
  local $! = $number;
  my ($name) = grep { $!{$_} } qw(ECONNREFUSED EHOSTUNREACH ENETUNREACH EPERM EACCES ENOPROTOOPT EADDRNOTAVAIL ETIMEDOUT);
  return $name // "E$number";
}

sub socket_address {
  my ($address, $port) = @_;
  return $address =~ /:/
    ? pack_sockaddr_in6($port, inet_pton(AF_INET6, $address))
    : pack_sockaddr_in($port, inet_pton(AF_INET, $address));
}

sub open_socket {
  my ($from, $to) = @_;
  my $six = ($to // $from) =~ /:/;
  socket(my $socket, $six ? AF_INET6 : AF_INET, SOCK_RAW, SCTP) or die "socket: $!\n";
  setsockopt $socket, $six ? 41 : 0, $six ? RECVERR6 : RECVERR, pack 'i', 1 or die "setsockopt: $!\n";
  setsockopt $socket, SOL_SOCKET, SO_RCVBUF, pack 'i', 1 << 20;
  return if defined $from && !bind $socket, socket_address($from, 0);
  return if defined $to && !connect $socket, socket_address($to, 0);
  return $socket;
}

# Returns false, with the error, if the packet could not be sent.
sub transmit {
  my ($socket, $to, $ports, $tag, @chunks) = @_;
  my $body = join '', @chunks;
  my $checksum = pack 'V', crc32c(pack('nnNN', @$ports, $tag, 0) . $body);
  my $packet = pack('nnN', @$ports, $tag) . $checksum . $body;
  return defined($to) ? send($socket, $packet, 0, $to) : send($socket, $packet, 0);
}

# Reads one packet: address of the sender, ports, tag, checksum is right, chunks as [type, flags, value].
sub receive {
  my ($socket) = @_;
  my $sender = recv $socket, my $packet, 65536, DONTWAIT;
  return unless defined $sender;
  my $from;
  if (length $sender == 16) {
    $from = inet_ntop(AF_INET, (unpack_sockaddr_in($sender))[1]);
    $packet = substr $packet, 4 * (ord($packet) & 15);
  } else {
    $from = inet_ntop(AF_INET6, (unpack_sockaddr_in6($sender))[1]);
  }
  return if length $packet < 12;
  my ($source, $target, $tag, $checksum) = unpack 'nnNV', $packet;
  substr($packet, 8, 4) = "\0\0\0\0";
  my $right = crc32c($packet) == $checksum;
  my @chunks;
  for (my $at = 12; $at + 4 <= length $packet;) {
    my ($type, $flags, $length) = unpack 'CCn', substr $packet, $at, 4;
    last if $length < 4;
    push @chunks, [$type, $flags, substr $packet, $at + 4, $length - 4];
    $at += $length + -$length % 4;
  }
  return { sender => $sender, from => $from, source => $source, target => $target, tag => $tag, right => $right,
    chunks => \@chunks };
}

sub serve_packet {
  my ($server) = @_;
  my $packet = receive($server->{socket}) or return;
  my ($address, $port) = ($server->{address}, $packet->{target});
  my $name = $names{"$address $port"};
  my $answer = sub { transmit($server->{socket}, $packet->{sender}, [$port, $packet->{source}], @_) };
  if (!$packet->{right}) {
    print STDERR "wrong checksum of a packet from $packet->{from} port $packet->{source} to $address port $port\n";
    return;
  }
  my $key = "$address $port $packet->{from} $packet->{source}";
  for (@{ $packet->{chunks} }) {
    my ($type, $flags, $value) = @$_;
    if ($type == INIT) {
      my ($tag, undef, undef, undef, $tsn) = unpack 'NNnnN', $value;
      return $answer->($tag, chunk(ABORT, '')) unless defined $name;
      my ($own_tag, $own_tsn) = (random(), random());
      my $cookie = pack 'NNNN', $own_tag, $own_tsn, $tag, $tsn;
      $answer->($tag, chunk(INIT_ACK, pack('NNnnN', $own_tag, WINDOW, 1, 1, $own_tsn) . chunk_parameter(COOKIE, $cookie)));
      next;
    }
    if ($type == COOKIE_ECHO && defined $name && length $value == 16) {
      my ($own_tag, $own_tsn, $tag, $tsn) = unpack 'NNNN', $value;
      next if $packet->{tag} != $own_tag;
      $associations{$key} = { own_tag => $own_tag, tag => $tag, tsn => $own_tsn };
      my $text = qq({"by":$name,"sourceSeen":"$packet->{from}","sourcePortSeen":$packet->{source}});
      $answer->($tag, chunk(COOKIE_ACK, ''), data($own_tsn, $text));
      next;
    }
    my $association = $associations{$key};
    if (!$association || $packet->{tag} != $association->{own_tag}) {
      # Not to clients of this host, whose packets arrive here as well.
      my $own = defined $name && $type != ABORT && $type != SHUTDOWN_COMPLETE;
      return $own ? $answer->($packet->{tag}, chunk(ABORT, '', 1)) : undef;
    }
    if ($type == DATA) {
      $association->{tsn} = $association->{tsn} + 1 & 0xFFFFFFFF;
      $answer->($association->{tag}, sack(unpack 'N', $value), data($association->{tsn}, substr $value, 12));
    } elsif ($type == SHUTDOWN) {
      $answer->($association->{tag}, chunk(SHUTDOWN_ACK, ''));
    } elsif ($type == ABORT || $type == SHUTDOWN_COMPLETE) {
      delete $associations{$key};
    }
  }
}

sub chunk_parameter {
  my ($type, $value) = @_;
  my $length = 4 + length $value;
  return pack('nn', $type, $length) . $value . "\0" x (-$length % 4);
}

sub end_client {
  my ($client, $event) = @_;
  print "$client->{id} $event\n" if defined $event;
  delete $sockets{ fileno $client->{socket} };
  delete $clients{ $client->{id} };
  close $client->{socket};
}

# Sends a packet of a client. Returns false if that ended the association.
sub client_transmit {
  my ($client, @chunks) = @_;
  return 1 if transmit($client->{socket}, undef, [$client->{port}, $client->{peer_port}], $client->{tag}, @chunks);
  my $error = $!;
  # A rejection is more than the refusal of the system call.
  end_client($client, errno_name($error + 0)) if read_errors($client);
  return 0;
}

# Reads the ICMP errors of a socket: those of other sockets to the same address are among them. Returns false if one ended
# the association.
sub read_errors {
  my ($client) = @_;
  while (1) {
    my $error = unpack 'i', getsockopt $client->{socket}, SOL_SOCKET, SO_ERROR;
    return 1 unless defined recv $client->{socket}, my $packet, 65536, ERRQUEUE | DONTWAIT;
    my ($port, $peer_port) = unpack 'nn', $packet;
    if ($error && defined $peer_port && $port == $client->{port} && $peer_port == $client->{peer_port}) {
      end_client($client, errno_name($error));
      return 0;
    }
  }
}

sub client_packet {
  my ($client) = @_;
  read_errors($client) or return;
  my $packet = receive($client->{socket}) or return;
  return if $packet->{target} != $client->{port} || $packet->{source} != $client->{peer_port};
  return end_client($client, 'checksum') unless $packet->{right};
  for (@{ $packet->{chunks} }) {
    my ($type, $flags, $value) = @$_;
    return if $packet->{tag} != ($type == ABORT && $flags & 1 ? $client->{tag} : $client->{own_tag});
    if ($type == INIT_ACK && $client->{tag} == 0) {
      my ($tag, $parameter, $length) = unpack 'Nx12nn', $value;
      $client->{tag} = $tag;
      client_transmit($client, chunk(COOKIE_ECHO, substr $value, 20, $length - 4)) or return;
    } elsif ($type == DATA) {
      client_transmit($client, sack(unpack 'N', $value)) or return;
      print "$client->{id} data ", substr($value, 12), "\n";
    } elsif ($type == ABORT) {
      return end_client($client, $client->{tag} == 0 ? 'ECONNREFUSED' : 'aborted');
    } elsif ($type == SHUTDOWN_ACK) {
      client_transmit($client, chunk(SHUTDOWN_COMPLETE, '')) or return;
      return end_client($client, 'closed');
    }
  }
}

sub obey {
  my ($command, $id, $rest) = split / /, $_[0], 3;
  if ($command eq 'serve') {
    my ($port, $name) = split / /, $rest, 2;
    $names{"$id $port"} = $name;
    if (!grep { defined $_->{address} && $_->{address} eq $id } values %sockets) {
      my $socket = open_socket($id);
      return print "error $id $port ", errno_name($! + 0), "\n" unless $socket;
      $sockets{ fileno $socket } = { socket => $socket, address => $id };
    }
    print "done $id $port\n";
  } elsif ($command eq 'stop') {
    delete $names{"$id $rest"};
    my ($server) = grep { defined $_->{address} && $_->{address} eq $id } values %sockets;
    for (grep { index($_, "$id $rest ") == 0 } keys %associations) {
      my (undef, undef, $peer, $peer_port) = split / /;
      my $association = delete $associations{$_};
      transmit($server->{socket}, socket_address($peer, 0), [$rest, $peer_port], $association->{tag}, chunk(ABORT, ''));
    }
    print "done $id $rest\n";
  } elsif ($command eq 'open') {
    my ($to, $peer_port, $from, $port) = split / /, $rest;
    my $socket = open_socket($from eq '-' ? undef : $from, $to);
    return print "$id ", errno_name($! + 0), "\n" unless $socket;
    my $client = { socket => $socket, id => $id, port => $port, peer_port => $peer_port, tag => 0,
      own_tag => random(), tsn => random() };
    $sockets{ fileno $socket } = $clients{$id} = $client;
    client_transmit($client, chunk(INIT, pack 'NNnnN', $client->{own_tag}, WINDOW, 1, 1, $client->{tsn}));
  } elsif (my $client = $clients{$id}) {
    if ($command eq 'send') {
      client_transmit($client, data($client->{tsn}, $rest));
      $client->{tsn} = $client->{tsn} + 1 & 0xFFFFFFFF;
    } elsif ($command eq 'shutdown') {
      client_transmit($client, chunk(SHUTDOWN, pack 'N', 0));
    } elsif ($command eq 'abort') {
      client_transmit($client, chunk(ABORT, '')) or return if $client->{tag} != 0;
      end_client($client);
    }
  }
}

my $input = '';
while (1) {
  my $ready = '';
  vec($ready, fileno STDIN, 1) = 1;
  vec($ready, $_, 1) = 1 for keys %sockets;
  next if select($ready, undef, undef, undef) < 0;
  for (grep { vec $ready, $_, 1 } keys %sockets) {
    my $entry = $sockets{$_} or next;
    defined $entry->{address} ? serve_packet($entry) : client_packet($entry);
  }
  if (vec $ready, fileno STDIN, 1) {
    exit 0 unless sysread STDIN, $input, 65536, length $input;
    obey($1) while $input =~ s/^([^\n]*)\n//;
  }
}
`;

/** @typedef {{event: string, text: string}} SctpEvent what happens to an association: the event, and the text of `data` */

let lastId = 0;
/** @type {import('node:child_process').ChildProcessWithoutNullStreams | undefined} */
let program;
/** @type {string | undefined} */
let failure;
/** Receivers of events, by ID, or by address and port of a server. @type {Map<string, (event: SctpEvent) => void>} */
const receivers = new Map();

function start() {
  const child = spawn('perl', ['-e', PROGRAM], { stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  child.stdin.on('error', () => {});
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors = (errors + text).slice(-2000);
    process.stderr.write(text);
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [first = '', second = '', ...rest] = line.split(' ');
    const isServer = first === 'done' || first === 'error';
    const receiver = receivers.get(isServer ? `${second} ${rest[0]}` : first);
    receiver?.(isServer ? { event: first, text: rest[1] ?? '' } : { event: second, text: rest.join(' ') });
  });
  const end = (/** @type {string} */ why) => {
    failure ??= `perl, which sends SCTP, ended: ${why}`;
    for (const receiver of receivers.values()) {
      receiver({ event: 'failed', text: failure });
    }
  };
  child.once('error', (error) => end(error.message));
  child.once('close', (code, signal) => end(`${signal ?? `status ${code}`} ${errors.trim()}`.trim()));
  return child;
}

function command(/** @type {string} */ line) {
  if (existsSync('/proc/net/sctp')) {
    throw new Error('the SCTP of the kernel would abort associations: remove its module (modprobe -r sctp)');
  }
  if (failure !== undefined) {
    throw new Error(failure);
  }
  program ??= start();
  program.stdin.write(`${line}\n`);
}

/**
 * Answers on a port, not 0, of these addresses: each association with a line, and with an echo of what it sends.
 *
 * @param {{addresses: readonly string[], port: number, name: string}} server
 * @returns {Promise<() => Promise<void>>} stops it, and its associations
 */
export async function serveSctp({ addresses, port, name }) {
  if (port === 0) {
    throw new Error('an SCTP server needs the number of its port');
  }
  for (const address of addresses) {
    if (receivers.has(`${address} ${port}`)) {
      throw Object.assign(new Error(`${address} port ${port} is served already`), { code: 'EADDRINUSE' });
    }
    await commandServer(address, port, `serve ${address} ${port} ${JSON.stringify(name)}`);
  }
  return async () => {
    for (const address of addresses) {
      await commandServer(address, port, `stop ${address} ${port}`);
      receivers.delete(`${address} ${port}`);
    }
  };
}

/** @param {string} address @param {number} port @param {string} line @returns {Promise<void>} when it is done */
function commandServer(address, port, line) {
  return new Promise((resolve, reject) => {
    receivers.set(`${address} ${port}`, ({ event, text }) =>
      event === 'done' ? resolve() : reject(Object.assign(new Error(`${event} ${text}`), { code: text })),
    );
    command(line);
  });
}

/** An association of a client. */
export class SctpAssociation {
  #id = `${++lastId}`;
  /** @type {SctpEvent[]} */
  #events = [];
  /** @type {((event: SctpEvent) => void) | undefined} */
  #waiting;

  /** Sends INIT at once. @param {{to: string, port: number, from?: string | undefined, fromPort: number}} target */
  constructor({ to, port, from, fromPort }) {
    receivers.set(this.#id, (event) => {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      if (waiting) {
        waiting(event);
      } else {
        this.#events.push(event);
      }
    });
    command(`open ${this.#id} ${to} ${port} ${from ?? '-'} ${fromPort}`);
  }

  /**
   * The next event; undefined if there is none in time.
   *
   * @param {number} milliseconds
   * @returns {Promise<SctpEvent | undefined>}
   */
  next(milliseconds) {
    const known = this.#events.shift();
    if (known) {
      return Promise.resolve(known);
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting = undefined;
        resolve(undefined);
      }, milliseconds);
      this.#waiting = (event) => {
        clearTimeout(timer);
        resolve(event);
      };
    });
  }

  /** Sends a line. @param {string} text */
  send(text) {
    command(`send ${this.#id} ${text}`);
  }

  /** Ends it, with `closed` as its last event. */
  shutdown() {
    command(`shutdown ${this.#id}`);
  }

  /** Ends it at once. */
  abort() {
    receivers.delete(this.#id);
    command(`abort ${this.#id}`);
  }
}
