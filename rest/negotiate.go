package rest

import (
	"fmt"
	"io"
	"mime"
	"reflect"
	"strconv"
	"strings"
)

// encoding is how an object is written on the wire. client-go finds a decoder
// for a response in a NegotiatedSerializer; here there are these two.
type encoding int

const (
	encodingJSON encoding = iota
	encodingProtobuf
)

// acceptKind is what kind of answer is asked for.
type acceptKind int

const (
	acceptObject acceptKind = iota
	acceptList
	acceptWatch
)

// accept is the Accept header of a request: the encodings in which the codec's
// type can be decoded, the best first. configured, if any, chooses among them:
// a client for all types may be set to protobuf, which only some have.
//
// For *metav1.PartialObjectMetadata it asks the server to send metadata only,
// and after that for whole objects, of which the metadata is then picked.
func (c *codec) accept(kind acceptKind, configured string) string {
	types := c.accepted(configured)
	if !c.metadataOnly {
		return strings.Join(types, ", ")
	}
	as := ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	if kind == acceptList {
		as = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	}
	asked := withAs(types, as)
	if asked == nil {
		asked = withAs(c.accepted(""), as)
	}
	return strings.Join(append(asked, jsonType), ", ")
}

// withAs adds parameters to those types that name an encoding and no form.
func withAs(types []string, as string) (asked []string) {
	for _, t := range types {
		if strings.Contains(t, ";as=") || strings.Contains(t, "*") {
			continue
		}
		name, parameters, has := strings.Cut(t, ";")
		if has {
			parameters = ";" + parameters
		}
		asked = append(asked, strings.TrimSpace(name)+as+parameters)
	}
	return asked
}

func (c *codec) accepted(configured string) (types []string) {
	for t := range strings.SplitSeq(configured, ",") {
		if t = strings.TrimSpace(t); t != "" && c.canDecode(t) {
			types = append(types, t)
		}
	}
	switch {
	case len(types) > 0:
		return types
	case configured == "" && c.protobuf != nil:
		return []string{protobufType, jsonType}
	}
	return []string{jsonType}
}

// canDecode says whether a media type, or a range of them, is one that the
// codec can decode.
func (c *codec) canDecode(mediaType string) bool {
	switch name, _, err := mime.ParseMediaType(mediaType); {
	case err != nil:
		return false
	case name == protobufType:
		return c.protobuf != nil
	default:
		return name == jsonType || name == "application/*" || name == "*/*"
	}
}

// encodingOf reads the Content-Type of what is decoded into the codec's type.
func (c *codec) encodingOf(contentType string) (encoding, error) {
	return encodingOf(contentType, c.typ, c.protobuf != nil)
}

// encodingOf reads the Content-Type of what is decoded into a type, which may
// have protobuf of its own. Without one a body is taken for JSON.
func encodingOf(contentType string, into reflect.Type, protobuf bool) (encoding, error) {
	name := contentType
	switch contentType {
	case jsonType, protobufType: // nearly always
	case "":
		name = jsonType
	default:
		var err error
		if name, _, err = mime.ParseMediaType(contentType); err != nil {
			return 0, &contentTypeError{fmt.Sprintf("%s: %v", excerpt([]byte(contentType)), err)}
		}
	}
	switch {
	case name == jsonType:
		return encodingJSON, nil
	case name == protobufType && protobuf:
		return encodingProtobuf, nil
	}
	want := jsonType
	if protobuf {
		want += " or " + protobufType
	}
	return 0, &contentTypeError{fmt.Sprintf("%s, which %v cannot be decoded from: want %s", excerpt([]byte(contentType)), into, want)}
}

// contentTypeError says that an answer is not what can be decoded.
type contentTypeError struct{ what string }

func (e *contentTypeError) Error() string {
	return "the server's answer has the content type " + e.what
}

// Undecodable tells a reflector why nothing came of the answer.
func (e *contentTypeError) Undecodable() bool { return true }

// withBeginning adds to an error about a body's content type how the body
// begins, which tells a proxy's log-in page from a server's mistake.
func withBeginning(err error, body io.Reader) error {
	var beginning [excerptLen + 1]byte
	n, _ := body.Read(beginning[:])
	if n == 0 {
		return err
	}
	return fmt.Errorf("%w; it begins with %s", err, excerpt(beginning[:n]))
}

// excerptLen is how much of a body an error shows: of one that is not what it
// should be. Nothing is shown of the objects of a body that is.
const excerptLen = 64

func excerpt(b []byte) string {
	if len(b) > excerptLen {
		return strconv.Quote(string(b[:excerptLen])) + "..."
	}
	return strconv.Quote(string(b))
}
