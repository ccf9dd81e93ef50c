package bench;

import java.io.StringReader;
import java.io.StringWriter;
import javax.xml.transform.Templates;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;

/** An XSLT processor (Xalan, Saxon) on a generated catalogue: keys, sorting, recursion, modes. */
public final class Xalan extends Workload {
    private static final String STYLE = "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
            + "<xsl:key name='by-group' match='item' use='@group'/>"
            + "<xsl:template match='/'><html><body><xsl:apply-templates select='catalogue/item'>"
            + "<xsl:sort select='price' data-type='number' order='descending'/><xsl:sort select='@id'/>"
            + "</xsl:apply-templates><toc><xsl:for-each select='catalogue/item[position() &lt; 60]'>"
            + "<xsl:apply-templates select='.' mode='toc'/></xsl:for-each></toc></body></html></xsl:template>"
            + "<xsl:template match='item'><div class='{@group}'><h1><xsl:value-of select='title'/></h1>"
            + "<xsl:variable name='peers' select=\"count(key('by-group', @group))\"/>"
            + "<p n='{$peers}'><xsl:apply-templates select='text'/></p>"
            + "<xsl:if test='tag'><ul><xsl:for-each select='tag'><li>"
            + "<xsl:value-of select=\"translate(., 'abcdefgh', 'ABCDEFGH')\"/></li></xsl:for-each></ul></xsl:if>"
            + "<xsl:call-template name='bar'><xsl:with-param name='n' select='floor(price div 50)'/></xsl:call-template>"
            + "</div></xsl:template>"
            + "<xsl:template match='em'><i><xsl:value-of select='.'/></i></xsl:template>"
            + "<xsl:template match='item' mode='toc'><a href='#{@id}'>"
            + "<xsl:value-of select=\"concat(substring(title, 1, 5), ' ', format-number(price, '0.0'))\"/></a></xsl:template>"
            + "<xsl:template name='bar'><xsl:param name='n'/><xsl:if test='$n &gt; 0'>*"
            + "<xsl:call-template name='bar'><xsl:with-param name='n' select='$n - 1'/></xsl:call-template></xsl:if>"
            + "</xsl:template></xsl:stylesheet>";
    private String document;
    private TransformerFactory factory;
    private int repeats;

    public static void main(String[] args) {
        Driver.run(new Xalan(), args);
    }

    @Override
    protected void prepare(Options options) {
        factory = TransformerFactory.newInstance(
                options.text("factory", "org.apache.xalan.processor.TransformerFactoryImpl"), null);
        document = Xml.catalogue(51, 300);
        repeats = options.pick(4, 40);
    }

    @Override
    protected long iterate() throws Exception {
        Templates style = factory.newTemplates(new StreamSource(new StringReader(STYLE)));
        Sum sum = new Sum();
        for (int i = 0; i < repeats; i++) {
            StringWriter out = new StringWriter();
            style.newTransformer().transform(new StreamSource(new StringReader(document)), new StreamResult(out));
            sum.add(out.getBuffer());
        }
        return sum.get();
    }
}
