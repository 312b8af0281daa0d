// Package transcript plays a script of HTTP exchanges against a Kubernetes API
// server and says what was answered, in a form that two servers can share.
//
//	script.txt ──► Parse ──► Script ──► Play(server) ──► answers ──► Diff: what differs from the file
//	                                                             └─► Record, Format: the file anew
//
// A script is a text file of exchanges, each set off by a blank line:
//
//	# Equality selects objects that have the label (concepts: labels and selectors).
//	GET /api/v1/namespaces/<ns>/configmaps?labelSelector=app = web
//	> Accept: application/json
//	: show items.metadata.name
//	----
//	200 OK
//	{"items": [{"metadata": {"name": "a"}}]}
//
// The comment names the convention or behaviour that the exchange holds. Lines
// that begin with > are headers of the request, lines that begin with a colon
// are options, and what follows up to the dashes is the body, sent as it
// stands. Comments that a blank line follows belong to no exchange.
//
// # Commands
//
//	GET POST PUT PATCH DELETE ... path   a request
//	SEED path                            a POST of each line of the body; the answers are statuses,
//	                                     each object is saved under its name
//	WATCH name path                      opens a watch that stays open while what follows is played
//	EVENTS name n                        the next n events of that watch
//	EVENTS name end                      its events up to the end of the stream
//	STOP name                            closes it
//	COMPACT                              has the server forget all old versions
//
// # Options
//
//	: as user          with that user's token; "nobody" has no rights, "none" sends no token
//	: headers names    shows these headers of the answer
//	: managed          shows managedFields, which are hidden otherwise
//	: bookmarks        shows periodic bookmarks, which come when they come
//	: retry codes      asks again while the answer has one of these codes
//	: save name        keeps the answer (of EVENTS: the last object) under a name
//	: show paths       shows these fields only: metadata.name items[metadata.name=a].spec
//
// # Values
//
// <ns> is a namespace that exists for this play alone; <name.rv>, <name.uid> and
// <name.continue> are those of a saved answer, <name.path.of.field> is any
// other, <name.rv+1> counts; <repeat:x:1000> is long. Answers are normalised: times, uids, versions,
// generated names and addresses become names in the order in which they come,
// and equal values the same name. The version of a list or bookmark is <now> if
// nothing newer has been seen, since a server may count writes of others.
//
// # Two servers
//
// The answers in the file are those of the real kube-apiserver. Where the
// server under test differs by a limit that its documentation states, the
// exchange holds both:
//
//	----
//	200 OK
//	---- limit=no-protobuf
//	406 Not Acceptable
package transcript
