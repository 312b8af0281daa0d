// Package recovery measures how two libraries recover from an outage of the API server:
// how soon their informers are current, and how many requests they send.
//
// Both libraries run at the same time in this process, with the same server and the
// same [schedule], each through its own proxy of package outage. The cases take long,
// so they run only if -run names them:
//
//	go run -C bench . -run '^recover/'              # 16 cases, half an hour
//	go run -C bench . -run '^recover/refused' -json # some
//
// Each case has these rows, with a figure for each library:
//
//   - median, last: the seconds until half and all of the informers are current. An
//     informer is current when its store has a write that is made at the end of the
//     outage. The time is measured from the first response header other than 429 and
//     5xx that the server sends to either library after the outage, and not before the
//     end of the wait of a Retry-After. It is measured from the end of the outage if an
//     informer is current before such a header, and from the beginning of the outage if
//     new connections work. For an informer that is not current after 90 seconds it is
//     90 seconds.
//   - requests, peak: the requests from the beginning of the first outage until a second
//     after all informers are current, in total and within one second. The pages of a
//     list count as one request. A connection that is refused, reset, closed or delayed
//     counts as one too.
//   - first: the seconds from the end of the outage to the library's first answer.
//   - list: the milliseconds of one list without other load.
//   - time-met, order-met, count-met: 1 if our informers meet a requirement of this
//     project, otherwise 0. time-met: half are current within one second and all within
//     three, plus the time of a list if they must list; within 5 seconds after a
//     restore; within 18 seconds of the beginning if connections are half-open.
//     order-met: median and last are at most half a second later than client-go's.
//     count-met: the requests are at most those of client-go, plus one for each informer
//     and outage and one for each second of outage. For sources that share nothing,
//     time-met is not reported, and the seconds of the outage add no requests.
package recovery
