// Package transcripts holds the scripts in apitest/testdata/transcripts to the
// server that they are recorded from, kube-apiserver. apitest's own tests play
// the same scripts against apitest: what both pass, both answer alike.
//
//	go test ./transcripts                   # from e2e: is this what kube-apiserver answers?
//	go test ./transcripts -args -rewrite    # record what it answers
//
// What a script may say is in internal/transcript.
package transcripts
