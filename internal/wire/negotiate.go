package wire

import (
	"fmt"
	"io"
	"mime"
	"reflect"
	"strconv"
	"strings"
)

// The content types of the encodings: JSON, and Kubernetes protobuf.
const (
	JSONType     = "application/json"
	ProtobufType = "application/vnd.kubernetes.protobuf"
)

// encoding is the wire format of an object. client-go finds a decoder for a
// response in a NegotiatedSerializer; here there are two formats.
type encoding int

const (
	encodingJSON encoding = iota
	encodingProtobuf
)

// AcceptKind is the kind of the expected response.
type AcceptKind int

// The kinds of responses: one object, a list, a watch.
const (
	AcceptObject AcceptKind = iota
	AcceptList
	AcceptWatch
)

// Accept returns the Accept header of a request: the encodings that the codec's
// type can be decoded from, in order of preference. configured, if set, restricts
// them: a client for all types may be set to protobuf, which only some types
// support.
//
// A codec of metadata only requests PartialObjectMetadata. A server that does not
// support that may send whole objects, whose other fields are skipped.
func (c *Codec) Accept(kind AcceptKind, configured string) string {
	types := c.accepted(configured)
	if !c.metadataOnly {
		return strings.Join(types, ", ")
	}
	as := ";as=" + metadataKind + ";g=meta.k8s.io;v=v1"
	if kind == AcceptList {
		as = ";as=" + metadataKind + "List;g=meta.k8s.io;v=v1"
	}
	metadataTypes := addParameters(types, as)
	if metadataTypes == nil {
		metadataTypes = addParameters(c.accepted(""), as)
	}
	return strings.Join(append(metadataTypes, JSONType), ", ")
}

// addParameters adds parameters to the media types that have no "as" parameter and
// no wildcard.
func addParameters(types []string, as string) (extended []string) {
	for _, t := range types {
		if strings.Contains(t, ";as=") || strings.Contains(t, "*") {
			continue
		}
		name, parameters, found := strings.Cut(t, ";")
		if found {
			parameters = ";" + parameters
		}
		extended = append(extended, strings.TrimSpace(name)+as+parameters)
	}
	return extended
}

func (c *Codec) accepted(configured string) (types []string) {
	for t := range strings.SplitSeq(configured, ",") {
		if t = strings.TrimSpace(t); t != "" && c.canDecode(t) {
			types = append(types, t)
		}
	}
	switch {
	case len(types) > 0:
		return types
	case configured == "" && c.protobuf != nil:
		return []string{ProtobufType, JSONType}
	}
	return []string{JSONType}
}

// canDecode reports whether the codec can decode a media type or a range of them.
func (c *Codec) canDecode(mediaType string) bool {
	switch name, _, err := mime.ParseMediaType(mediaType); {
	case err != nil:
		return false
	case name == ProtobufType:
		return c.protobuf != nil
	default:
		return name == JSONType || name == "application/*" || name == "*/*"
	}
}

// encodingOf returns the encoding for a Content-Type.
func (c *Codec) encodingOf(contentType string) (encoding, error) {
	return encodingOf(contentType, c.typ, c.protobuf != nil)
}

// encodingOf returns the encoding for a Content-Type; protobuf reports whether the
// type supports it. Without a Content-Type the body is read as JSON.
func encodingOf(contentType string, into reflect.Type, protobuf bool) (encoding, error) {
	name := contentType
	switch contentType {
	case JSONType, ProtobufType: // nearly always
	case "":
		name = JSONType
	default:
		var err error
		if name, _, err = mime.ParseMediaType(contentType); err != nil {
			return 0, &contentTypeError{fmt.Sprintf("the response has the content type %s: %v", excerpt([]byte(contentType)), err)}
		}
	}
	switch {
	case name == JSONType:
		return encodingJSON, nil
	case name == ProtobufType && protobuf:
		return encodingProtobuf, nil
	}
	want := JSONType
	if protobuf {
		want += " or " + ProtobufType
	}
	return 0, &contentTypeError{fmt.Sprintf("the response has the content type %s, which %v cannot be decoded from: want %s", excerpt([]byte(contentType)), into, want)}
}

// contentTypeError is the error of a response that cannot be decoded because of its
// content type.
type contentTypeError struct{ text string }

func (e *contentTypeError) Error() string { return e.text }

// Undecodable marks a failure that no retry can fix, for a reflector.
func (e *contentTypeError) Undecodable() bool { return true }

// withExcerpt adds the beginning of the body to an error about its content type. It
// shows whether the response is a login page of a proxy, for example.
func withExcerpt(err error, body io.Reader) error {
	var beginning [excerptLen + 1]byte
	n, _ := body.Read(beginning[:])
	if n == 0 {
		return err
	}
	return fmt.Errorf("%w; it begins with %s", err, excerpt(beginning[:n]))
}

// excerptLen bounds the excerpt of an unexpected body. Errors never show the
// contents of objects.
const excerptLen = 64

func excerpt(b []byte) string {
	if len(b) > excerptLen {
		return strconv.Quote(string(b[:excerptLen])) + "..."
	}
	return strconv.Quote(string(b))
}

// MediaType returns a content type without its parameters.
func MediaType(contentType string) string {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		media, _, _ = strings.Cut(contentType, ";")
		media = strings.ToLower(strings.TrimSpace(media))
	}
	return media
}

// IsJSON reports whether a media type is JSON.
func IsJSON(media string) bool { return media == JSONType || strings.HasSuffix(media, "+json") }
