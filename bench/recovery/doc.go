// Package recovery measures how two libraries come back after an outage of the API
// server: how soon their informers are current, and how much they ask for.
//
// Both libraries run at once in this process, against one server, with a proxy
// each of package outage, through one [schedule]. The cases take long, so they run
// only when named:
//
//	go run -C bench . -run '^recover/'              # 16 cases, half an hour
//	go run -C bench . -run '^recover/refused' -json # some
//
// Each case has these rows, with a figure for each library:
//
//   - median, last: the seconds until half and all of the informers are current. An
//     informer is current when its store has a write that is made at the moment
//     the outage ends. Time counts from the first response header other than 429
//     and 5xx that the server gives to either library after the outage, and not
//     before the end of a wait that a Retry-After has announced. It counts from
//     the end of the outage if an informer is current before such a header, and
//     from the beginning where new connections work. An informer that is not current after 90 seconds counts with 90 seconds.
//   - requests, peak: from the beginning of the first outage until a second after
//     all informers are current, in total and within any one second. The pages of
//     a list count as one request, as does a connection that is refused, reset,
//     ended or held back.
//   - first: the seconds from the end of the outage to the library's first answer.
//   - list: the milliseconds that one list takes alone.
//   - time-met, order-met, count-met: whether ours meets what this project requires
//     of itself, 1 for yes. By time: half within a second and all within three,
//     with the time of a list more where one is needed; all within five of a
//     restored server, and within 18 of the cut if connections are half-open. By order: median and last no later than client-go's and
//     half a second. By count: no more requests than client-go, one for each
//     second of outage and one for each collection. For sources that share nothing
//     the first is not required, and the requests of a second are not allowed.
package recovery
