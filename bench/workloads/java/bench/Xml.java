package bench;

/** A seeded catalogue document and its schema, shared by the XML workloads. */
final class Xml {
    static final String SCHEMA = "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'>"
            + "<xs:element name='catalogue'><xs:complexType><xs:sequence>"
            + "<xs:element name='item' maxOccurs='unbounded'><xs:complexType><xs:sequence>"
            + "<xs:element name='title' type='xs:string'/>"
            + "<xs:element name='price' type='xs:decimal'/>"
            + "<xs:element name='tag' minOccurs='0' maxOccurs='9'><xs:simpleType>"
            + "<xs:restriction base='xs:token'><xs:pattern value='[a-z]+'/><xs:maxLength value='40'/>"
            + "</xs:restriction></xs:simpleType></xs:element>"
            + "<xs:element name='text'><xs:complexType mixed='true'><xs:sequence>"
            + "<xs:element name='em' minOccurs='0' maxOccurs='unbounded' type='xs:string'/>"
            + "</xs:sequence></xs:complexType></xs:element>"
            + "</xs:sequence><xs:attribute name='id' type='xs:ID' use='required'/>"
            + "<xs:attribute name='group' type='xs:nonNegativeInteger' use='required'/>"
            + "</xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element></xs:schema>";

    private Xml() {}

    static String catalogue(long seed, int items) {
        Words words = new Words(seed, 2000);
        StringBuilder xml = new StringBuilder("<?xml version='1.0'?>\n<catalogue>\n");
        for (int i = 0; i < items; i++) {
            xml.append(" <item id='i").append(i).append("' group='").append(words.number(20)).append("'>\n");
            xml.append("  <title>").append(words.sentence(3)).append("</title>\n");
            xml.append("  <price>").append(words.number(1000)).append('.').append(10 + words.number(90))
                    .append("</price>\n");
            for (int t = words.number(4); t > 0; t--) {
                xml.append("  <tag>").append(words.word()).append("</tag>\n");
            }
            xml.append("  <text>");
            for (int p = 1 + words.number(5); p > 0; p--) {
                xml.append(words.sentence(8)).append(" &amp; <em>").append(words.word()).append("</em> ");
            }
            xml.append("</text>\n </item>\n");
        }
        return xml.append("</catalogue>\n").toString();
    }
}
