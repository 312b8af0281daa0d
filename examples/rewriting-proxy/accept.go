package main

import (
	"mime"
	"strconv"
	"strings"
)

// acceptJSON returns an Accept header with the types that can be rewritten, out of those
// that a client accepts: JSON, of objects or of their metadata. Protobuf and CBOR are left
// out, and so are Tables, whose cells the API server has already computed. ok is false if
// none is left.
func acceptJSON(accept []string) (header string, ok bool) {
	offered := strings.Join(accept, ",")
	if strings.TrimSpace(offered) == "" {
		return "application/json", true
	}
	var kept []string
	for offer := range strings.SplitSeq(offered, ",") {
		mediaType, parameters, err := mime.ParseMediaType(offer)
		if err != nil || excluded(parameters["q"]) {
			continue
		}
		switch mediaType {
		case "*/*", "application/*":
			delete(parameters, "as")
		case "application/json":
			if transform := parameters["as"]; transform != "" && !strings.HasPrefix(transform, "PartialObjectMetadata") {
				continue
			}
		default:
			continue
		}
		kept = append(kept, mime.FormatMediaType("application/json", parameters))
	}
	return strings.Join(kept, ", "), len(kept) > 0
}

// excluded reports whether a weight excludes a type.
func excluded(q string) bool {
	weight, err := strconv.ParseFloat(q, 64)
	return err == nil && weight == 0
}
