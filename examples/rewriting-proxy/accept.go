package main

import (
	"mime"
	"strconv"
	"strings"
)

// acceptJSON is an Accept header that asks for what can be rewritten, out of
// what a client would take: JSON, of objects or of their metadata. Protobuf and
// CBOR are left out, and so are Tables, the cells of which the API server has
// filled in already. false is a client that takes nothing of it.
func acceptJSON(accept []string) (header string, ok bool) {
	offered := strings.Join(accept, ",")
	if strings.TrimSpace(offered) == "" {
		return "application/json", true
	}
	var kept []string
	for offer := range strings.SplitSeq(offered, ",") {
		mediaType, parameters, err := mime.ParseMediaType(offer)
		if err != nil || refused(parameters["q"]) {
			continue
		}
		switch mediaType {
		case "*/*", "application/*":
			delete(parameters, "as")
		case "application/json":
			if as := parameters["as"]; as != "" && !strings.HasPrefix(as, "PartialObjectMetadata") {
				continue
			}
		default:
			continue
		}
		kept = append(kept, mime.FormatMediaType("application/json", parameters))
	}
	return strings.Join(kept, ", "), len(kept) > 0
}

// refused is whether a weight says: anything but this.
func refused(q string) bool {
	weight, err := strconv.ParseFloat(q, 64)
	return err == nil && weight == 0
}
