// Package transcript runs a script of HTTP requests against a Kubernetes API server
// and returns the responses in a normalized form that two servers can share.
//
//	script.txt ──► Parse ──► Script ──► Play(server) ──► answers ──► Diff: differences from the file
//	                                                             └─► Record, Format: the updated file
//
// A script is a text file of exchanges, separated by blank lines:
//
//	# Equality selects objects that have the label (concepts: labels and selectors).
//	GET /api/v1/namespaces/<ns>/configmaps?labelSelector=app = web
//	> Accept: application/json
//	: show items.metadata.name
//	----
//	200 OK
//	{"items": [{"metadata": {"name": "a"}}]}
//
// The comment names the convention or behaviour that the exchange tests. Lines that
// begin with > are headers of the request, lines that begin with a colon are
// options. The rest up to the dashes is the body, sent unchanged. A comment followed
// by a blank line belongs to no exchange.
//
// # Commands
//
//	GET POST PUT PATCH DELETE ... path   a request
//	SEED path                            a POST of each line of the body; the answer is the statuses,
//	                                     each object is saved under its name
//	WATCH name path                      opens a watch that stays open during the next exchanges
//	EVENTS name n                        the next n events of that watch
//	EVENTS name end                      its events up to the end of the stream
//	STOP name                            closes it
//	COMPACT                              makes the server discard all old versions
//
// # Options
//
//	: as user          uses that user's token; user "nobody" is unprivileged, "none" sends no token
//	: headers names    shows these headers of the response
//	: managed          shows managedFields, which are hidden otherwise
//	: bookmarks        shows periodic bookmarks, whose times vary
//	: retry codes      retries while the response has one of these codes
//	: save name        saves the response (of EVENTS: the last object) under a name
//	: show paths       shows these fields only: metadata.name items[metadata.name=a].spec
//
// # Values
//
// <ns> is a namespace created for this run; <name.rv>, <name.uid> and <name.continue>
// are those of a saved response, <name.path.of.field> is any other field, <name.rv+1>
// adds to a number; <repeat:x:1000> repeats a text. Responses are normalized: times,
// uids, versions, generated names and addresses become names numbered by first
// appearance; equal values get the same name. The version of a list or bookmark is
// <now> if no newer one has been seen, since a server may count writes of others.
//
// # Two servers
//
// The answers in the file are those of the real kube-apiserver. If the server under
// test differs by a documented limit, the exchange has both:
//
//	----
//	200 OK
//	---- limit=no-protobuf
//	406 Not Acceptable
package transcript
