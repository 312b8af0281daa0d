package main

// The protocol between the program and its page:
//
//	GET  /events              server-sent events; the data of each is a JSON array of Records
//	GET  /log                 a Log: all recorded records
//	GET  /timeline?key=NS/NAME  a Log: the recorded records of one key
//	GET  /keys?search=TEXT    Keys: the keys of the store that contain a text
//	POST /control/NAME        a JSON object of parameters; the answer is an Answer
//
// T of a snapshot is the time of its states; its N is the number of the last record that
// they include. The first event of a stream without Last-Event-ID has one Record of StageSnapshot,
// which describes everything. Records follow, in the order of their numbers and without
// gaps, until a further snapshot replaces everything that the page knows: a stream
// skips records if the page is too far behind, and says how many in Snapshot.Skipped.
// The id of an event is the number of its last record. A stream with a Last-Event-ID
// that is still recorded continues after it without a snapshot. An id has the form
// START-NUMBER, where START identifies the process.

// A Stage is a part of the program through which data passes.
type Stage string

// The stages, in the order of the data. A record of StageControl says that a control
// was used, and one of StageSnapshot has a Snapshot.
const (
	StageSocket   Stage = "socket"
	StageMachine  Stage = "machine"
	StageFIFO     Stage = "fifo"
	StageStore    Stage = "store"
	StageHandler  Stage = "handler"
	StageQueue    Stage = "queue"
	StageWorker   Stage = "worker"
	StageRequest  Stage = "request"
	StageControl  Stage = "control"
	StageSnapshot Stage = "snapshot"
)

// A Record is one thing that has happened. The fields that are set depend on Stage and
// Kind:
//
//	socket   opened   Conn
//	         request  Conn, Text: the request line
//	         response Conn, Text: the status line, Chunked
//	         chunk    Conn, Bytes: the size of the chunk, Text: its first 200 bytes, Total
//	         body     Conn, Bytes: the size of a body without chunks, Total
//	         end      Conn, Total: the last, empty chunk
//	         closed   Conn, Total, Error
//	machine  step     Text: the input, Outcome: the decision
//	         state    Machine
//	fifo     filed    Key, Version, Event: Added, Updated, Deleted; the objects of a list
//	                  are not recorded one by one, and are popped as Replaced
//	         popped   Key, Version, Event: Added, Updated, Deleted, Replaced, Sync
//	store    applied  Key, Version, Event: add, update, delete
//	         batch    Count: changes, Version: of the store, Ms, Pending: deltas in the DeltaFIFO
//	         state    Store
//	handler  called, returned, merged, panic   Name, Key, Version, Event
//	         state    Handlers
//	queue    queued   Key, Reason: changed, initial, resync
//	         state    Queue
//	worker   started  Key
//	         ended    Key, Ms, Outcome: what was done, Error, RequeueMs
//	         retried  Key, RequeueMs, Error
//	request  started  Verb, Method, Path, Key
//	         done     Verb, Method, Path, Key, Status, Error, Ms: until the header of the response
//	         wrote    Verb, Key, Version: what the server has stored
//	control  used     Name, Text: the answer, Error, Code and Values: those of an Answer
//	         state    Controls: whether the effect of each lasts has changed
type Record struct {
	// N counts the records from 1. T is in milliseconds since the start.
	N     uint64 `json:"n"`
	T     int64  `json:"t"`
	Stage Stage  `json:"stage"`
	Kind  string `json:"kind"`

	// Key is namespace/name of the object; Version is its resourceVersion.
	Key     string `json:"key,omitempty"`
	Version string `json:"version,omitempty"`
	Event   string `json:"event,omitempty"`
	// Name is that of a handler or control.
	Name    string `json:"name,omitempty"`
	Text    string `json:"text,omitempty"`
	Outcome string `json:"outcome,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Error   string `json:"error,omitempty"`
	// Code and Values say the same as Text in a form that can be translated.
	Code   string            `json:"code,omitempty"`
	Values map[string]string `json:"values,omitempty"`

	// Conn is the number of a connection, from 1. Total counts its received bytes.
	Conn    int   `json:"conn,omitempty"`
	Chunked bool  `json:"chunked,omitempty"`
	Bytes   int64 `json:"bytes,omitempty"`
	Total   int64 `json:"total,omitempty"`

	Verb   string `json:"verb,omitempty"`
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`
	Status int    `json:"status,omitempty"`

	Count     int     `json:"count,omitempty"`
	Pending   int     `json:"pending,omitempty"`
	Ms        float64 `json:"ms,omitempty"`
	RequeueMs float64 `json:"requeueMs,omitempty"`

	// The states replace what the page knows about the stage.
	Machine  *MachineState  `json:"machine,omitempty"`
	Store    *StoreState    `json:"store,omitempty"`
	Handlers []HandlerState `json:"handlers,omitempty"`
	Queue    *QueueState    `json:"queue,omitempty"`
	Controls []ControlState `json:"controls,omitempty"`
	Snapshot *Snapshot      `json:"snapshot,omitempty"`
}

// A Snapshot describes everything at the time of its record.
type Snapshot struct {
	// Skipped is the number of records that the stream has left out before it.
	Skipped  uint64         `json:"skipped"`
	Server   ServerInfo     `json:"server"`
	Sockets  []SocketState  `json:"sockets"`
	Machine  MachineState   `json:"machine"`
	FIFO     FIFOState      `json:"fifo"`
	Store    StoreState     `json:"store"`
	Handlers []HandlerState `json:"handlers"`
	Queue    QueueState     `json:"queue"`
	// Workers are the keys that are being reconciled, longest first.
	Workers  []WorkerState  `json:"workers"`
	Totals   Totals         `json:"totals"`
	Controls []ControlState `json:"controls"`
	Links    []StageLinks   `json:"links"`
}

// ServerInfo describes the API server. Write is false if the program only reads.
type ServerInfo struct {
	Embedded  bool   `json:"embedded"`
	Host      string `json:"host"`
	Namespace string `json:"namespace"`
	Resource  string `json:"resource"`
	Write     bool   `json:"write"`
}

// SocketState is an open connection. Request is the line of the last request, Chunks
// the number of chunks of its response.
type SocketState struct {
	Conn    int    `json:"conn"`
	Request string `json:"request"`
	Chunked bool   `json:"chunked"`
	Chunks  int    `json:"chunks"`
	Total   int64  `json:"total"`
}

// MachineState is the state of the reflector. RetryInMs is the time to the next
// attempt at the time of the record, 0 if none is planned.
type MachineState struct {
	Phase        string  `json:"phase"`
	Mode         string  `json:"mode"`
	Version      string  `json:"version"`
	Relists      int     `json:"relists"`
	RelistReason string  `json:"relistReason,omitempty"`
	Failures     int     `json:"failures,omitempty"`
	Error        string  `json:"error,omitempty"`
	RetryInMs    float64 `json:"retryInMs,omitempty"`
}

// FIFOState is the number of deltas in the DeltaFIFO, and the newest of them that came
// from a watch, oldest first. A key may have several.
type FIFOState struct {
	Count  int     `json:"count"`
	Deltas []Delta `json:"deltas"`
}

// Delta is a change in the DeltaFIFO.
type Delta struct {
	Key     string `json:"key"`
	Version string `json:"version"`
	Event   string `json:"event"`
}

// StoreState is the content of the indexer. Keys are the first ones, in order; Objects
// is the number of all.
type StoreState struct {
	Synced  bool         `json:"synced"`
	Version string       `json:"version"`
	Objects int          `json:"objects"`
	Keys    []string     `json:"keys"`
	Indexes []IndexState `json:"indexes"`
}

// Keys are the first keys of the store that contain a text, in order. Count is the number
// of all of them, Objects that of all objects.
type Keys struct {
	Objects int      `json:"objects"`
	Count   int      `json:"count"`
	Keys    []string `json:"keys"`
}

// IndexState is an index with its first values, in order. Count is the number of all
// values.
type IndexState struct {
	Name   string       `json:"name"`
	Count  int          `json:"count"`
	Values []IndexValue `json:"values"`
}

// IndexValue is a value of an index and the number of objects that have it.
type IndexValue struct {
	Value   string `json:"value"`
	Objects int    `json:"objects"`
}

// HandlerState is an event handler. Position is the number of notifications that it
// has processed, Pending the number of those that wait (its backlog). BusyMs is how
// long the running callback has been running, 0 if none is.
type HandlerState struct {
	Name     string  `json:"name"`
	Synced   bool    `json:"synced"`
	Position uint64  `json:"position"`
	Pending  int     `json:"pending"`
	Merged   uint64  `json:"merged"`
	Panics   uint64  `json:"panics"`
	BusyMs   float64 `json:"busyMs,omitempty"`
	// DelayMs is the delay of the control "slow".
	DelayMs float64 `json:"delayMs,omitempty"`
}

// QueueState is the work queue. The lists have the first keys, the counts are those of
// all.
type QueueState struct {
	Waiting         []string     `json:"waiting"`
	WaitingCount    int          `json:"waitingCount"`
	Processing      []string     `json:"processing"`
	ProcessingCount int          `json:"processingCount"`
	Dirty           []string     `json:"dirty"`
	DirtyCount      int          `json:"dirtyCount"`
	Delayed         []DelayedKey `json:"delayed"`
	DelayedCount    int          `json:"delayedCount"`
}

// DelayedKey is a key that will be added to the queue.
type DelayedKey struct {
	Key  string  `json:"key"`
	InMs float64 `json:"inMs"`
}

// WorkerState is a key that is being reconciled.
type WorkerState struct {
	Key string  `json:"key"`
	Ms  float64 `json:"ms"`
}

// Totals count since the start.
type Totals struct {
	Bytes      int64          `json:"bytes"`
	Chunks     uint64         `json:"chunks"`
	Filed      uint64         `json:"filed"`
	Popped     uint64         `json:"popped"`
	Applied    uint64         `json:"applied"`
	Reconciles uint64         `json:"reconciles"`
	Errors     uint64         `json:"errors"`
	Requests   map[string]int `json:"requests"` // by verb
}

// ControlState is a control: create, update, delete, burst, clear (delete all), cut (the
// watch), silence and speak, expire (410), away and back, restart, slow (a delay of the
// handler "slow", ms 0 ends it), panic, work (a delay of each reconcile, ms 0 ends it),
// fail (the next n reconciles). If it is not available, Reason says why, and ReasonCode is the code of
// that text.
type ControlState struct {
	Name       string      `json:"name"`
	Available  bool        `json:"available"`
	Reason     string      `json:"reason,omitempty"`
	ReasonCode string      `json:"reasonCode,omitempty"`
	Parameters []Parameter `json:"parameters"`
	// Active is true while the effect of the control lasts.
	Active bool `json:"active,omitempty"`
}

// Parameter is a parameter of a control: a text if Max is 0, and otherwise an integer
// between Min and Max.
type Parameter struct {
	Name    string `json:"name"`
	Default any    `json:"default"`
	Min     int    `json:"min,omitempty"`
	Max     int    `json:"max,omitempty"`
}

// StageLinks are the addresses of the chapter and the source of a stage, "" if the
// program does not run in a clone of the repository.
type StageLinks struct {
	Stage Stage `json:"stage"`
	// Chapter is an address with "{lang}" in place of en or zh.
	Chapter string   `json:"chapter,omitempty"`
	Sources []Source `json:"sources"`
}

// Source is a file of the repository.
type Source struct {
	Path    string `json:"path"`
	Address string `json:"address"`
}

// Log is a part of the recorded records, oldest first. Dropped is the number of older
// ones that are no longer recorded. State is the snapshot from which the page can play
// them, nil in a timeline.
type Log struct {
	Key     string   `json:"key,omitempty"`
	Dropped uint64   `json:"dropped"`
	State   *Record  `json:"state,omitempty"`
	Records []Record `json:"records"`
}

// Answer is the answer to a control. Message is in English; Code and Values say the same
// in a form that can be translated. Code is "" if Message is a text of the API server.
type Answer struct {
	OK      bool              `json:"ok"`
	Message string            `json:"message"`
	Code    string            `json:"code,omitempty"`
	Values  map[string]string `json:"values,omitempty"`
}
