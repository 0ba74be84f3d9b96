// SPDX-License-Identifier: MIT OR Apache-2.0
/* Bulk TCP flows between two network namespaces, both ends in one process.
 * The sender keeps 128 to 256 unsent segments in the socket (TCP_NOTSENT_LOWAT) and writes 64 segments at a time with MSG_MORE,
 * so that it is never short of data and sets PSH only where the kernel itself decides to (and at the end of a limited transfer).
 * usage: wl_flow OUTPREFIX SECONDS BUF_BYTES(0 = kernel autotuning) CC:BYTES(0 = no limit):START_MS [...]
 * Flow i uses sender port 40000 + i and receiver port 5001 + i. Writes OUTPREFIX.flows (bytes read by the receiving
 * application, every 0.1 s and at the end) and copies of /proc/net/{snmp,netstat} of both namespaces at the end. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <linux/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#define CHUNK (1448 * 64)
#define N 8
static char data[1 << 20];
static void die(const char *m) { perror(m); exit(1); }
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
static void ns(const char *n) { char p[64]; snprintf(p, 64, "/run/netns/%s", n); int f = open(p, O_RDONLY); if (f < 0 || setns(f, CLONE_NEWNET)) die(p); close(f); }
static void opt(int s, int l, int o, int v) { if (setsockopt(s, l, o, &v, sizeof v)) die("setsockopt"); }
static void copy(const char *from, const char *pre, const char *suf)
{ char p[512]; snprintf(p, 512, "%s.%s", pre, suf); FILE *a = fopen(from, "r"), *b = fopen(p, "w"); if (!a || !b) die(p);
  size_t n; while ((n = fread(data, 1, sizeof data, a)) > 0) fwrite(data, 1, n, b); fclose(a); fclose(b); }
static struct sockaddr_in addr(const char *a, int p) { struct sockaddr_in s = { .sin_family = AF_INET, .sin_port = htons(p) }; inet_pton(AF_INET, a, &s.sin_addr); return s; }
int main(int c, char **v)
{
	const char *pre = v[1]; double T = atof(v[2]), t0, next; int buf = atoi(v[3]), n = c - 4, L[N], S[N], R[N], st[N]; long long left[N], got[N]; double start[N]; int wrote[N] = { 0 };
	char cc[N][16], p[512], mss[16] = ""; long long lim[N]; int sms[N];
	char *em = getenv("MAXSEG"); if (em) strncpy(mss, em, 15);
	snprintf(p, 512, "%s.flows", pre); FILE *o = fopen(p, "w"); if (!o) die(p);
	for (int i = 0; i < n; i++) {
		if (sscanf(v[4 + i], "%15[^:]:%lld:%d", cc[i], &lim[i], &sms[i]) != 3) exit(2);
		ns("rcv"); L[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0); opt(L[i], SOL_SOCKET, SO_REUSEADDR, 1);
		if (buf) opt(L[i], SOL_SOCKET, SO_RCVBUF, buf);
		struct sockaddr_in a = addr("0.0.0.0", 5001 + i); if (bind(L[i], (void *)&a, sizeof a) || listen(L[i], 4)) die("listen");
		ns("snd"); S[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		if (buf) opt(S[i], SOL_SOCKET, SO_SNDBUF, 8388608);
		opt(S[i], IPPROTO_TCP, TCP_NOTSENT_LOWAT, 256 * 1448);
		if (mss[0]) opt(S[i], IPPROTO_TCP, TCP_MAXSEG, atoi(mss));
		if (setsockopt(S[i], IPPROTO_TCP, TCP_CONGESTION, cc[i], strlen(cc[i]))) die(cc[i]);
		a = addr("0.0.0.0", 40000 + i); opt(S[i], SOL_SOCKET, SO_REUSEADDR, 1); if (bind(S[i], (void *)&a, sizeof a)) die("bind");
		R[i] = -1; st[i] = 0; got[i] = 0; left[i] = lim[i] ? lim[i] : 1LL << 60;
	}
	struct timespec r, m; clock_gettime(CLOCK_REALTIME, &r); clock_gettime(CLOCK_MONOTONIC, &m);
	fprintf(o, "# realtime_minus_monotonic_ns %lld\n", (r.tv_sec - m.tv_sec) * 1000000000LL + r.tv_nsec - m.tv_nsec);
	t0 = now(); next = 0.1; long k = 1;
	for (;;) {
		double t = now() - t0;
		for (int i = 0; i < n; i++) if (!st[i] && t >= sms[i] / 1e3 - 1e-7) {
			struct sockaddr_in a = addr("10.0.4.2", 5001 + i); start[i] = t;
			if (connect(S[i], (void *)&a, sizeof a) && errno != EINPROGRESS) die("connect");
			st[i] = 1;
		}
		if (t >= next - 1e-7) {
			fprintf(o, "%.1f", k * 0.1); for (int i = 0; i < n; i++) fprintf(o, ",%lld", got[i]); fputc('\n', o);
			if (t >= T - 1e-7) break;
			next = ++k * 0.1;
		}
		struct pollfd f[3 * N]; int q = 0, po[N];
		for (int i = 0; i < n; i++) {
			po[i] = -1;
			if (R[i] < 0) f[q++] = (struct pollfd){ L[i], POLLIN, 0 }; else f[q++] = (struct pollfd){ R[i], POLLIN, 0 };
			if (st[i] && left[i] > 0) { po[i] = q; f[q++] = (struct pollfd){ S[i], POLLOUT, 0 }; }
		}
		double w = next; for (int i = 0; i < n; i++) if (!st[i] && sms[i] / 1e3 < w) w = sms[i] / 1e3;
		w -= now() - t0; if (w < 0) w = 0;
		struct timespec ts = { (long)w, (long)((w - (long)w) * 1e9) + 1 };
		if (ppoll(f, q, &ts, 0) < 0) die("poll");
		for (int i = 0; i < n; i++) {
			if (R[i] < 0) { R[i] = accept4(L[i], 0, 0, SOCK_NONBLOCK); }
			if (R[i] >= 0) { ssize_t b; while ((b = read(R[i], data, sizeof data)) > 0) got[i] += b; }
			if (po[i] >= 0 && f[po[i]].revents & POLLOUT && left[i] > 0) { ssize_t b;      /* first fill: four chunks, then one for each POLLOUT */
				int m = wrote[i] ? 1 : 4;
				while (m-- && left[i] > 0) { size_t w = left[i] < CHUNK ? left[i] : CHUNK;
					b = send(S[i], data, w, MSG_DONTWAIT | (left[i] > CHUNK ? MSG_MORE : 0)); if (b <= 0) break; left[i] -= b; wrote[i] = 1; } }
		}
	}
	for (int i = 0; i < n; i++) {
		struct tcp_info x; socklen_t l = sizeof x; memset(&x, 0, sizeof x); getsockopt(S[i], IPPROTO_TCP, TCP_INFO, &x, &l);
		char nm[16] = ""; socklen_t nl = 16; getsockopt(S[i], IPPROTO_TCP, TCP_CONGESTION, nm, &nl);
		fprintf(o, "# flow %d cc %s start %.6f received %lld acked %llu segs_out %u data_segs_out %u retrans %u cwnd %u ssthresh %u srtt_us %u min_rtt_us %u mss %u reordering %u dsack_dups %u\n", i, nm, start[i], got[i],
			(unsigned long long)x.tcpi_bytes_acked, x.tcpi_segs_out, x.tcpi_data_segs_out, x.tcpi_total_retrans, x.tcpi_snd_cwnd, x.tcpi_snd_ssthresh, x.tcpi_rtt, x.tcpi_min_rtt, x.tcpi_snd_mss, x.tcpi_reordering, x.tcpi_dsack_dups);
	}
	fclose(o);
	ns("snd"); copy("/proc/thread-self/net/snmp", pre, "snd.snmp"); copy("/proc/thread-self/net/netstat", pre, "snd.netstat");
	ns("rcv"); copy("/proc/thread-self/net/snmp", pre, "rcv.snmp"); copy("/proc/thread-self/net/netstat", pre, "rcv.netstat");
	return 0;
}
